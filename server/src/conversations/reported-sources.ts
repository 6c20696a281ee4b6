import { z } from "zod"
import { Passage } from "./source-schema.ts"

const max = 100
const maxText = 100_000

const Metadata = z
  .looseObject({
    ...Passage.pick({ page: true, slide: true, sheet: true, row: true }).shape,
    heading: z.string().max(1000),
    start: z.int().min(0),
    end: z.int().min(0),
    score: z.number(),
  })
  .partial()

const Told = z.looseObject({
  source: z.looseObject({ id: z.string().max(200), name: z.string().max(1000) }),
  document: z.array(z.string()).min(1),
  metadata: z.array(z.unknown()).default([]),
})

const passageOf = (one: unknown): Passage | null => {
  const told = Told.safeParse(one).data
  if (!told) return null
  const {
    page,
    slide,
    sheet,
    row,
    heading,
    start = 0,
    end,
    score = 0,
  } = Metadata.safeParse(told.metadata[0]).data ?? {}
  const text = told.document.join("\n\n").slice(0, maxText).toWellFormed()
  const place = { page, slide, sheet, row, heading: heading?.split(" › ") }
  return Passage.parse({
    file_id: told.source.id,
    name: told.source.name.toWellFormed(),
    ...Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined)),
    start,
    end: end ?? start + text.length,
    score,
    text,
  })
}

/**
 * Parses the sources that a function, or a provider with its own files, reports. The format is that
 * of the gateway's own responses. An unreadable entry becomes null, so that the numbers stay
 * correct.
 */
export const readToldSources = (sources: unknown): (Passage | null)[] | null =>
  Array.isArray(sources) ? sources.slice(0, max).map(passageOf) : null
