import { z } from "zod"

/** Where in a document something stands; what does not apply is left out. */
export const Place = z
  .object({
    /** From 1. */
    page: z.int().optional(),
    /** From 1. */
    slide: z.int().optional(),
    sheet: z.string().optional(),
    /** From 1; the header row counts. */
    row: z.int().optional(),
    /** Headings above it, the outermost first. */
    heading: z.array(z.string()).optional(),
  })
  .meta({ id: "Place" })
export type Place = z.output<typeof Place>
