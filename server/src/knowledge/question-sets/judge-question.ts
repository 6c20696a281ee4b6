import {
  type EventLoopShare,
  type FairEventLoop,
  turnCosts,
} from "../../concurrency/fair-event-loop.ts"
import type { FileStore, FileSummary } from "../../files/file-store.ts"
import type { ContextBudget } from "../citations/context-budget.ts"
import type { SelectedSources, SourceSelection } from "../citations/source-selection.ts"
import { locatePassage } from "../reading/locate-passage.ts"
import type { Collection } from "../schema.ts"
import { isSearchable } from "../search/searchable-files.ts"
import {
  type ExpectedPassage,
  findExpectedFile,
  type Judgement,
  judgeSelection,
  missed,
} from "./judge-selection.ts"
import { parseResult, type StoredQuestion } from "./question-store.ts"
import type { QuestionResult, RunError } from "./schema.ts"
import type { SearchFingerprint } from "./search-fingerprint.ts"

interface Deps {
  files: Pick<FileStore, "text">
  selection: SourceSelection
  contextBudget: ContextBudget
  fairLoop: FairEventLoop
  now: () => number
}

/** What the questions of a collection are asked of. */
export interface SearchedCollection {
  collection: Pick<Collection, "user_id" | "search">
  /** In the order in which they were added. */
  files: readonly FileSummary[]
  fingerprint: SearchFingerprint
}

/** A question could not be judged; a later attempt may succeed. */
export class SearchFailure extends Error {
  readonly code: RunError
  constructor(code: RunError) {
    super(`The search failed: ${code}`)
    this.code = code
  }
}

/** @throws {SearchFailure} if a model that the search should use did not respond */
const requireComplete = (
  { ranked }: SelectedSources,
  { model, search }: SearchFingerprint,
): void => {
  if (!ranked) return
  if (search !== "lexical" && ranked.model !== model) throw new SearchFailure("embedding_model")
  if (ranked.reranked === false) throw new SearchFailure("reranker")
}

/** Keeps the text that was read last: questions are judged in the order of their files. */
const createTextReader = (files: Deps["files"]) => {
  let last: { id: string; text: string } | undefined
  return async (id: string): Promise<string> => {
    if (last?.id !== id) last = { id, text: (await files.text(id)) ?? "" }
    return last.text
  }
}

/** Searches a collection as a chat does, and finds out whether expected passages are selected. */
export const createQuestionJudge = (deps: Deps, searched: SearchedCollection) => {
  const { selection, contextBudget, fairLoop, now } = deps
  const { collection, files, fingerprint } = searched
  const searchable = files.filter(isSearchable)
  const readText = createTextReader(deps.files)
  const share: EventLoopShare = fairLoop.of(collection.user_id)
  const takeTurn = () => share.turn(turnCosts.conversion)

  /** Null if the text does not contain the quotation any more. */
  const locate = async (
    { quotation, result }: StoredQuestion,
    file: FileSummary,
  ): Promise<ExpectedPassage | null> => {
    const copies = searchable.filter(({ hash }) => hash === file.hash)
    const fileIds = new Set(copies.map(({ id }) => id))
    if (quotation === "") return { fileIds, range: null }
    const near = parseResult(result)?.start ?? 0
    const range = await locatePassage(await readText(file.id), quotation, { near, takeTurn })
    return range && { fileIds, range }
  }

  const search = async (
    { question, previous }: StoredQuestion,
    expected: ExpectedPassage,
    signal: AbortSignal,
  ): Promise<Judgement> => {
    const conversation = previous === "" ? [question] : [previous, question]
    const selected = await selection.select({
      userId: collection.user_id,
      question,
      previous,
      mode: collection.search,
      named: [],
      collected: searchable,
      maxTokens: contextBudget({ model: null, conversation }),
      signal,
    })
    requireComplete(selected, fingerprint)
    return judgeSelection(selected, expected)
  }

  return async (question: StoredQuestion, signal: AbortSignal): Promise<QuestionResult> => {
    const file = findExpectedFile(files, question)
    const found = { file_id: file?.id ?? null, start: null, at: now() }
    if (!file) return { ...missed("file_gone"), ...found }
    if (!isSearchable(file)) return { ...missed("file_not_ready"), ...found }
    const expected = await locate(question, file)
    if (!expected) return { ...missed("passage_gone"), ...found }
    const judgement = await search(question, expected, signal)
    return { ...judgement, ...found, start: expected.range?.start ?? null }
  }
}
