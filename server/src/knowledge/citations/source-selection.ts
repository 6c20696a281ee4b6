import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { readFileOverview } from "../reading/file-overview.ts"
import type { FoundPassage } from "../schema.ts"
import { toFoundPassage } from "../search/found-passage.ts"
import type { Retrieval } from "../search/language-search.ts"
import { mergeAdjacentPassages } from "../search/merge-adjacent-passages.ts"
import { limitPassages, maxPassagesFor, passageTokens } from "../search/passage-selection.ts"
import type { RankedPassages, RetrievalQuery } from "../search/retrieval.ts"
import { charactersPerToken } from "../tokens.ts"
import type { FindVersions, VersionByFile } from "../versions/document-versions.ts"
import {
  markVersions,
  orderFilesByVersion,
  selectPassagesOfVersions,
} from "../versions/version-selection.ts"
import {
  type CollectionOverview,
  readCollectionOverview,
  withoutCopies,
} from "./collection-overview.ts"

/** Files with more passages, which are then short, are searched instead. */
const maxWholePassages = 100
/**
 * Share of the budget for outlines and openings of attached files that are too large to be sent
 * whole.
 */
const overviewShare = 0.25
/** With fewer tokens an overview of a file is of no use. */
const minOverviewTokens = 150

export interface SourceQuery extends Omit<RetrievalQuery, "files" | "maxPassages"> {
  /** Files attached individually. */
  named: readonly FileSummary[]
  /** Files included only through a collection. */
  collected: readonly FileSummary[]
  /** Maximum number of tokens for all sources together. */
  maxTokens: number
}

export interface SelectedSources {
  /** The passages sent to the model, in citation order. */
  passages: FoundPassage[]
  /** Passages found but not sent. */
  leftOut: FoundPassage[]
  versions: VersionByFile
  /** Null if no collection was searched. */
  overview: CollectionOverview | null
  /** Tokens of all sources together. */
  tokens: number
  /** Null if no search was necessary. */
  ranked: Omit<RankedPassages, "passages"> | null
}

interface Deps {
  passages: PassageStore
  retrieval: Retrieval
  findVersions: FindVersions
}

/** Keeps the first of files with the same passages, such as a document in two formats. */
const withoutEqualTexts = (files: readonly FoundPassage[][]): FoundPassage[][] => {
  const byText = Map.groupBy(files, (passages) => JSON.stringify(passages.map(({ text }) => text)))
  return [...byText.values()].flatMap((equal) => equal.slice(0, 1))
}

const totalTokens = (passages: readonly FoundPassage[]): number =>
  passages.reduce((sum, passage) => sum + passageTokens(passage), 0)

/** Whether an opening is contained in a passage that is sent as well. */
const isWithinAny = (
  { reason, file_id, start, end }: FoundPassage,
  passages: readonly FoundPassage[],
): boolean =>
  reason === "opening" &&
  passages.some((one) => one.file_id === file_id && one.start <= start && one.end >= end)

/** Lower bound for the tokens of a whole file, from its length alone. */
const minTokensOf = ({ text_length, passages }: FileSummary): number =>
  (text_length ?? 0) / charactersPerToken + (passages ?? 0)

/** Selects the sources that are sent to a model for a question. */
export const createSourceSelection = ({ passages, retrieval, findVersions }: Deps) => {
  /**
   * All passages of the files in reading order, without duplicates of files; null if they exceed
   * `maxTokens`.
   */
  const readWhole = async (
    all: readonly FileSummary[],
    maxTokens: number,
  ): Promise<FoundPassage[] | null> => {
    const files = withoutCopies(all)
    const minTokens = files.reduce((sum, file) => sum + minTokensOf(file), 0)
    if (minTokens > maxTokens) return null
    const rows = await passages.byFiles(files.map(({ id }) => id))
    const wholeFiles = files.map((file) =>
      (rows.get(file.id) ?? []).map((row) => toFoundPassage(file, row, "whole")),
    )
    const merged = mergeAdjacentPassages(withoutEqualTexts(wholeFiles).flat())
    return totalTokens(merged) <= maxTokens && merged.length <= maxWholePassages ? merged : null
  }

  /** Attached files sent whole: all of them if they fit, otherwise the smallest ones. */
  const readAttached = async (named: readonly FileSummary[], maxTokens: number) => {
    const all = await readWhole(named, maxTokens)
    if (all) return { whole: all, large: [] }
    const wholeFiles: FoundPassage[] = []
    const largeFiles: FileSummary[] = []
    let remainingTokens = maxTokens
    for (const file of named.toSorted((a, z) => minTokensOf(a) - minTokensOf(z))) {
      const read = await readWhole([file], remainingTokens)
      if (read) wholeFiles.push(...read)
      else largeFiles.push(file)
      remainingTokens -= totalTokens(read ?? [])
    }
    return { whole: wholeFiles, large: largeFiles }
  }

  /** Which of the files, of which passages were found, are versions of one document. */
  const versionsOf = (
    userId: string,
    found: readonly FoundPassage[],
    files: readonly FileSummary[],
  ): Promise<VersionByFile> => {
    const byId = new Map(files.map((file) => [file.id, file]))
    const ids = [...new Set(found.map(({ file_id }) => file_id))]
    return findVersions(
      userId,
      ids.flatMap((id) => byId.get(id) ?? []),
      files,
    )
  }

  const readOverviews = async (
    files: readonly FileSummary[],
    maxTokens: number,
  ): Promise<FoundPassage[]> => {
    const some = files.slice(0, Math.max(1, Math.floor(maxTokens / minOverviewTokens)))
    const parts: FoundPassage[] = []
    for (const file of some) {
      parts.push(...(await readFileOverview(passages, file, Math.floor(maxTokens / some.length))))
    }
    return parts
  }

  return {
    /** The best `limit` passages, without regard to versions and to the size of files. */
    selectFirst: async ({
      named,
      collected,
      limit,
      ...query
    }: Omit<SourceQuery, "maxTokens"> & { limit: number }): Promise<FoundPassage[]> => {
      const files = [...named, ...collected]
      const { passages: found } = await retrieval.search({ ...query, files })
      const first = limitPassages(found, limit)
      return markVersions(first, await versionsOf(query.userId, first, files))
    },

    /**
     * Attached files and small collections are sent whole if they fit; otherwise they are searched.
     */
    select: async ({
      named,
      collected,
      maxTokens,
      ...query
    }: SourceQuery): Promise<SelectedSources> => {
      const { userId, question } = query
      const everything = await readWhole([...named, ...collected], maxTokens)
      if (everything) {
        const tokens = totalTokens(everything)
        const versions = await versionsOf(userId, everything, [...named, ...collected])
        const whole = orderFilesByVersion(markVersions(everything, versions), {
          versions,
          question,
        })
        return { passages: whole, leftOut: [], versions, overview: null, tokens, ranked: null }
      }
      // The rest is reserved for the openings and for search results.
      const { whole, large } = await readAttached(
        withoutCopies(named),
        maxTokens * (1 - overviewShare),
      )
      const remainingTokens = maxTokens - totalTokens(whole)
      const partsTokens = Math.floor(Math.min(maxTokens * overviewShare, remainingTokens / 2))
      const parts = await readOverviews(large, partsTokens)
      const overview =
        collected.length > 0 ? await readCollectionOverview(passages, collected, maxTokens) : null
      const fixedPassages = [...whole, ...parts]
      const searchTokens = maxTokens - totalTokens(fixedPassages) - (overview?.tokens ?? 0)
      const limits = { tokens: searchTokens, passages: maxPassagesFor(searchTokens) }
      const files = [...large, ...collected]
      const { passages: found, ...ranked } = await retrieval.search({
        ...query,
        files,
        maxPassages: limits.passages,
      })
      const results = [...fixedPassages, ...found]
      const versions = await versionsOf(userId, results, [...named, ...collected])
      const marked = markVersions(found, versions)
      const selected = selectPassagesOfVersions(marked, limits, { versions, question })
      const used = mergeAdjacentPassages(selected.filter((passage) => passage.used))
      const fixed = orderFilesByVersion(markVersions(fixedPassages, versions), {
        versions,
        question,
      })
      const sources = [...fixed.filter((passage) => !isWithinAny(passage, used)), ...used]
      return {
        passages: sources,
        leftOut: selected.filter((passage) => !passage.used),
        versions,
        overview,
        tokens: totalTokens(sources) + (overview?.tokens ?? 0),
        ranked,
      }
    },
  }
}

export type SourceSelection = ReturnType<typeof createSourceSelection>
