import type { FileSummary } from "../../files/file-store.ts"
import type { FoundPassage } from "../schema.ts"
import { passageKey } from "./found-passage.ts"
import type {
  QuestionEmbedding,
  RankedPassages,
  RankPassages,
  RetrievalQuery,
} from "./retrieval.ts"

/** Passages reserved for each language. */
const passagesPerLanguage = 3
/** The most frequent languages of the searched files, for which passages are reserved. */
const maxLanguages = 4
/** A language with enough of these first passages needs no search of its own. */
const firstPassages = 10

type EmbedQuestion = (query: string, signal?: AbortSignal) => Promise<QuestionEmbedding | null>

interface Deps {
  rankPassages: RankPassages
  embedQuestion: EmbedQuestion
}

/** Finds passages for questions. Callers must have checked access to the files. */
export interface Retrieval {
  search: RankPassages
}

/** Embeds each question once. */
const rememberEmbeddings = (embedQuestion: EmbedQuestion): EmbedQuestion => {
  const embeddings = new Map<string, Promise<QuestionEmbedding | null>>()
  return (query, signal) => {
    const embedding = embeddings.get(query) ?? embedQuestion(query, signal)
    embeddings.set(query, embedding)
    return embedding
  }
}

/** The files of each of the most frequent languages; empty if all are in one. */
const groupByLanguage = (files: readonly FileSummary[]): FileSummary[][] => {
  const known = files.filter(({ language }) => language !== null)
  const groups = [...Map.groupBy(known, ({ language }) => language).values()]
  if (groups.length < 2) return []
  const size = (group: readonly FileSummary[]): number =>
    group.reduce((sum, { passages }) => sum + (passages ?? 0), 0)
  return groups.sort((a, z) => size(z) - size(a)).slice(0, maxLanguages)
}

/** The best passage of each list, then the second of each, and so on. */
const alternate = (lists: readonly FoundPassage[][]): FoundPassage[] =>
  Array.from({ length: passagesPerLanguage }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat()

/** Marks passages as reserved for their language, and adds those that the search did not find. */
const reserve = (
  passages: readonly FoundPassage[],
  reserved: readonly FoundPassage[],
): FoundPassage[] => {
  const reservedKeys = new Set(reserved.map(passageKey))
  const foundKeys = new Set(passages.map(passageKey))
  const marked = passages.map(
    (passage): FoundPassage =>
      reservedKeys.has(passageKey(passage)) ? { ...passage, reserved: "language" } : passage,
  )
  const added = reserved
    .filter((passage) => !foundKeys.has(passageKey(passage)))
    // Ranks and scores of a language's own search say nothing beside those of the whole search.
    .map(
      (passage): FoundPassage => ({
        ...passage,
        ...{ score: 0, lexical: null, dense: null, reranked: null, reserved: "language" },
      }),
    )
  return [...marked, ...added]
}

/** The question in a language, if a model has translated it. */
const translationInto = (
  language: string | null | undefined,
  { rewriting }: RankedPassages,
): string | null =>
  rewriting?.queries.find((query) => query.kind === "translation" && query.language === language)
    ?.text ?? null

/**
 * Searches the files of each language by themselves as well, if the search of all files finds
 * little in that language: most questions resemble passages in their own language more than those
 * with the answer in another one.
 */
export const createLanguageSearch = ({ rankPassages, embedQuestion }: Deps): Retrieval => ({
  search: async (query) => {
    const embedOnce = rememberEmbeddings(embedQuestion)
    const found = await rankPassages({ ...query, embedQuestion: embedOnce })
    const languageOf = new Map(query.files.map(({ id, language }) => [id, language]))
    const first = found.passages.slice(0, firstPassages)
    const isMissing = ([file]: readonly FileSummary[]): boolean =>
      first.filter(({ file_id }) => languageOf.get(file_id) === file?.language).length <
      passagesPerLanguage
    const missing = groupByLanguage(query.files).filter(isMissing)
    if (missing.length === 0) return found
    const { userId, question, previous, mode, signal } = query
    const searchIn = async (files: readonly FileSummary[]): Promise<FoundPassage[]> => {
      const translation = translationInto(files[0]?.language, found)
      const inLanguage: RetrievalQuery = {
        ...{ userId, mode, files, embedQuestion: embedOnce },
        // A translation is complete without the previous question.
        ...(translation === null ? { question, previous } : { question: translation }),
        maxPassages: passagesPerLanguage,
        ...(signal && { signal }),
      }
      const { passages } = await rankPassages(inLanguage)
      return passages
        .slice(0, passagesPerLanguage)
        .map((passage) => ({ ...passage, found_by: translation }))
    }
    const reserved = alternate(await Promise.all(missing.map(searchIn)))
    return { ...found, passages: reserve(found.passages, reserved) }
  },
})
