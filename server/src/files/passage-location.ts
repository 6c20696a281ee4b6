import type { PassageLocation as ExtractedLocation } from "@portico/extract"
import { z } from "zod"

const fields = {
  /** 1-based. */
  page: z.int().optional(),
  /** 1-based. */
  slide: z.int().optional(),
  sheet: z.string().optional(),
  /** 1-based, including the header row. */
  row: z.int().optional(),
  /** Headings above it, outermost first. */
  heading: z.array(z.string()).optional(),
} satisfies Record<keyof ExtractedLocation, z.ZodType>

/** Location in a document; fields that do not apply are absent. */
export const PassageLocation = z
  .object(fields)
  .meta({ id: "Place" }) satisfies z.ZodType<ExtractedLocation>
export type PassageLocation = z.output<typeof PassageLocation>

/** The part of a document that a location is in; passages of one part differ in their rows. */
export const SectionLocation = PassageLocation.omit({ row: true })
export type SectionLocation = z.output<typeof SectionLocation>

const headingSeparator = " › "

export const joinHeadings = (heading: readonly string[]): string => heading.join(headingSeparator)
export const splitHeadings = (text: string): string[] => text.split(headingSeparator)

const fieldNames = PassageLocation.keyof().options

/** The fields that apply, in a fixed order: `[["page", 14], ["heading", "Safety › At sea"]]`. */
export const describeLocation = (location: PassageLocation): [string, string | number][] =>
  fieldNames.flatMap((field) => {
    const value = location[field]
    if (value === undefined) return []
    return [[field, Array.isArray(value) ? joinHeadings(value) : value]]
  })
