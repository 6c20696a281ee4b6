import { z } from "zod"
import { PassageLocation, splitHeadings } from "../../files/passage-location.ts"
import { DateOrigin } from "../../knowledge/schema.ts"
import { ChatPassage, maxPassagesPerAnswer, SourceDate } from "./source-schema.ts"

const maxTextLength = 100_000

const Metadata = z
  .looseObject({
    ...PassageLocation.shape,
    heading: z.string().max(1000),
    start: z.int().min(0),
    end: z.int().min(0),
    score: z.number(),
    // Functions may report dates and owners in formats of their own.
    date: SourceDate.optional().catch(undefined),
    date_of: DateOrigin.optional().catch(undefined),
    owner: z.string().max(200).optional().catch(undefined),
  })
  .partial()

const ReportedSource = z.looseObject({
  source: z.looseObject({ id: z.string().max(200), name: z.string().max(1000) }),
  document: z.array(z.string()).min(1),
  metadata: z.array(z.unknown()).default([]),
})

const passageOf = (entry: unknown): ChatPassage | null => {
  const reported = ReportedSource.safeParse(entry).data
  if (!reported) return null
  const metadata = Metadata.safeParse(reported.metadata[0]).data ?? {}
  const { heading, start = 0, end, score = 0, date, date_of, owner, ...location } = metadata
  const text = reported.document.join("\n\n").slice(0, maxTextLength).toWellFormed()
  return ChatPassage.parse({
    file_id: reported.source.id,
    name: reported.source.name.toWellFormed(),
    ...{ date, date_of, owner: owner?.toWellFormed() },
    ...PassageLocation.parse(location),
    ...(heading !== undefined && { heading: splitHeadings(heading) }),
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
export const parseReportedSources = (sources: unknown): (ChatPassage | null)[] | null =>
  Array.isArray(sources) ? sources.slice(0, maxPassagesPerAnswer).map(passageOf) : null
