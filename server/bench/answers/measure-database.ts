import { plainSettings, startAnswersGateway } from "./gateway.ts"
import { type Archive, filesOf, type ListingScores, measureListings } from "./listings.ts"
import { measureSetInEachMode, measureVersions, type SetScores } from "./measure-set.ts"
import { rewritingModel, startModelUpstream } from "./model-upstream.ts"
import type { QuestionSet } from "./question-set.ts"
import type { Rewrites } from "./rewrites.ts"
import type { VersionScores } from "./version-scores.ts"

/** What is measured besides the questions of sets. */
export interface OtherMeasurements {
  versionSets: readonly QuestionSet[]
  archive: Archive | undefined
}

export interface DatabaseScores {
  sets: Map<string, SetScores>
  versions: Map<string, VersionScores>
  listings: ListingScores[]
}

interface MeasuredDatabase extends OtherMeasurements {
  database: string
  databaseUrl?: string
  sets: readonly QuestionSet[]
  rewrites: Rewrites
  embedding: { model: string; url: string | undefined } | undefined
  say: (line: string) => void
  reportMissed?: ((line: string) => void) | undefined
}

/** Runs all questions of all sets on one gateway. */
export const measureDatabase = async ({
  database,
  databaseUrl,
  sets,
  versionSets,
  archive,
  rewrites,
  embedding,
  say,
  reportMissed,
}: MeasuredDatabase): Promise<DatabaseScores> => {
  const start = performance.now()
  const sayTime = (step: string): void =>
    say(`${database}: ${step} after ${((performance.now() - start) / 1000).toFixed(0)} s`)
  const upstream = await startModelUpstream(rewrites)
  const gateway = await startAnswersGateway({
    databaseUrl,
    providers: [upstream.url, ...(embedding?.url ? [embedding.url] : [])],
    embeddingModel: embedding?.model,
  })
  try {
    if (rewrites.size > 0) await gateway.useRewritingModel(rewritingModel)
    const files = [...sets, ...versionSets].flatMap((set) => set.files)
    const fileIds = await gateway.uploadAll([...files, ...(archive ? filesOf(archive) : [])])
    sayTime(`${fileIds.size} files uploaded`)
    const everything = await gateway.createCollection("All", plainSettings, [...fileIds.values()])
    await gateway.waitForIndex(everything)
    sayTime("all files indexed")
    const run = { gateway, fileIds, rewrites, reportMissed }
    const scores: DatabaseScores = { sets: new Map(), versions: new Map(), listings: [] }
    for (const set of sets) scores.sets.set(set.name, await measureSetInEachMode(run, set))
    for (const set of versionSets) {
      scores.versions.set(set.name, await measureVersions(run, set))
    }
    if (archive) scores.listings = await measureListings(run, archive, upstream)
    sayTime("all questions answered")
    return scores
  } finally {
    await gateway.stop()
    upstream.stop()
  }
}
