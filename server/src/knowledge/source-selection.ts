import type { PassageStore } from "../files/passage-store.ts"
import type { KnownFile } from "../files/store.ts"
import { mergeAdjacentPassages } from "./adjacent-passages.ts"
import { createFileLists, type FileList } from "./file-list.ts"
import { createFileParts } from "./file-outline.ts"
import { toFoundPassage } from "./found-passage.ts"
import type { PassageQuery, RankedPassages, Retrieval } from "./retrieval.ts"
import type { FoundPassage } from "./schema.ts"
import { selectPassages, tokensOf } from "./selection.ts"
import { charactersPerToken } from "./tokens.ts"

/** Of the budget, for passages of collections; more of them distract more often than they help. */
const fillShare = 0.5
/** As many as an export of a chat can carry; more short notes than that are searched. */
const maxWholePassages = 100
/** For the outlines and openings of named files that are too large to be given whole. */
const partsShare = 0.25
/** Fewer tokens say too little about a file. */
const minPartsTokens = 150

export interface SourceQuery extends Omit<PassageQuery, "files"> {
  /** Files that were named one by one. */
  named: readonly KnownFile[]
  /** Files that were named through a collection only. */
  collected: readonly KnownFile[]
  /** Tokens that all sources together may take. */
  maxTokens: number
}

export interface SelectedSources {
  /** What the model is given, in the order of their numbers. */
  passages: FoundPassage[]
  /** What was found and not given. */
  leftOut: FoundPassage[]
  /** Null where no collection was searched. */
  fileList: FileList | null
  /** Tokens that all of it takes. */
  tokens: number
  /** Null where nothing had to be searched. */
  ranked: Omit<RankedPassages, "passages"> | null
}

interface Deps {
  passages: PassageStore
  retrieval: Retrieval
}

const sumOf = (passages: readonly FoundPassage[]): number =>
  passages.reduce((sum, passage) => sum + tokensOf(passage), 0)

/** Whether an opening is part of a passage that is given as well. */
const isWithinAny = (
  { reason, file_id, start, end }: FoundPassage,
  passages: readonly FoundPassage[],
): boolean =>
  reason === "opening" &&
  passages.some((one) => one.file_id === file_id && one.start <= start && one.end >= end)

/** Of the whole file, by its length alone: never far too many. */
const fewestTokensOf = ({ text_length, passages }: KnownFile): number =>
  (text_length ?? 0) / charactersPerToken + (passages ?? 0)

/** Chooses what a model is given of some files for a question. */
export const createSourceSelection = ({ passages, retrieval }: Deps) => {
  const fileParts = createFileParts(passages)
  const fileLists = createFileLists(passages)

  /** All passages of some files in reading order; null where they take more than `maxTokens`. */
  const readWhole = async (
    files: readonly KnownFile[],
    maxTokens: number,
  ): Promise<FoundPassage[] | null> => {
    const fewest = files.reduce((sum, file) => sum + fewestTokensOf(file), 0)
    if (fewest > maxTokens) return null
    const rows = await passages.ofFiles(files.map(({ id }) => id))
    const whole = files.flatMap((file) =>
      (rows.get(file.id) ?? []).map((row) => toFoundPassage(file, row, "whole")),
    )
    const merged = mergeAdjacentPassages(whole)
    return sumOf(merged) <= maxTokens && merged.length <= maxWholePassages ? merged : null
  }

  /** The named files that are given whole: all of them where they fit, else the smallest ones. */
  const readNamed = async (named: readonly KnownFile[], maxTokens: number) => {
    const all = await readWhole(named, maxTokens)
    if (all) return { whole: all, large: [] }
    const whole: FoundPassage[] = []
    const large: KnownFile[] = []
    let left = maxTokens
    for (const file of named.toSorted((a, z) => fewestTokensOf(a) - fewestTokensOf(z))) {
      const read = await readWhole([file], left)
      if (read) whole.push(...read)
      else large.push(file)
      left -= sumOf(read ?? [])
    }
    return { whole, large }
  }

  const readParts = async (
    files: readonly KnownFile[],
    maxTokens: number,
  ): Promise<FoundPassage[]> => {
    const some = files.slice(0, Math.max(1, Math.floor(maxTokens / minPartsTokens)))
    const parts: FoundPassage[] = []
    for (const file of some) {
      parts.push(...(await fileParts.read(file, Math.floor(maxTokens / some.length))))
    }
    return parts
  }

  return {
    /** Named files and small collections whole where they fit, else the passages found in them. */
    select: async ({
      named,
      collected,
      maxTokens,
      ...query
    }: SourceQuery): Promise<SelectedSources> => {
      const everything = await readWhole([...named, ...collected], maxTokens)
      if (everything) {
        const tokens = sumOf(everything)
        return { passages: everything, leftOut: [], fileList: null, tokens, ranked: null }
      }
      // Some of it is for what a search finds.
      const { whole, large } = await readNamed(named, maxTokens * (1 - partsShare))
      const leftTokens = maxTokens - sumOf(whole)
      const partsTokens = Math.floor(Math.min(maxTokens * partsShare, leftTokens / 2))
      const parts = await readParts(large, partsTokens)
      const fileList = collected.length > 0 ? await fileLists.read(collected, maxTokens) : null
      const given = [...whole, ...parts]
      // A named file is what the question is about; of a collection, half of the budget is enough.
      const fillTokens = large.length > 0 ? maxTokens : maxTokens * fillShare
      const max = maxTokens - sumOf(given) - (fileList?.tokens ?? 0)
      const files = [...large, ...collected]
      const { passages: found, ...ranked } = await retrieval.search({ ...query, files })
      const selected = selectPassages(found, { max, fill: Math.min(max, fillTokens) })
      const used = mergeAdjacentPassages(selected.filter((passage) => passage.used))
      const sources = [...given.filter((passage) => !isWithinAny(passage, used)), ...used]
      return {
        passages: sources,
        leftOut: selected.filter((passage) => !passage.used),
        fileList,
        tokens: sumOf(sources) + (fileList?.tokens ?? 0),
        ranked,
      }
    },
  }
}

export type SourceSelection = ReturnType<typeof createSourceSelection>
