import type { PassageLocation as ExtractedLocation } from "@portico/extract"
import { z } from "zod"

/** Location in a document; fields that do not apply are absent. */
export const PassageLocation = z
  .object({
    /** 1-based. */
    page: z.int().optional(),
    /** 1-based. */
    slide: z.int().optional(),
    sheet: z.string().optional(),
    /** 1-based, including the header row. */
    row: z.int().optional(),
    /** Headings above it, outermost first. */
    heading: z.array(z.string()).optional(),
  })
  .meta({ id: "Place" }) satisfies z.ZodType<ExtractedLocation>
export type PassageLocation = z.output<typeof PassageLocation>
