import { z } from "zod"
import { fail } from "../../errors.ts"
import { type Fields, objectsIn } from "../../formats/json-values.ts"
import type { Caller } from "../../http/caller.ts"
import type { ContextBudget } from "../../knowledge/citations/context-budget.ts"
import type {
  AnswerSources,
  ModelCollection,
  SourceFinder,
} from "../../knowledge/citations/source-finder.ts"
import { createSourcePrompt } from "../../knowledge/citations/source-prompt.ts"
import type { RewritingContext } from "../../knowledge/rewriting/question-rewriter.ts"
import type { ConversationTurn } from "../../knowledge/rewriting/rewriting-prompt.ts"
import { FileReference } from "../../knowledge/schema.ts"
import type { ModelCatalogue, ResolvedModel } from "../../models/catalogue.ts"
import { collectionIdsOf } from "../../models/knowledge-references.ts"
import { rewritingModelOf, rewritingModeOf } from "../../models/rewriting-of-model.ts"
import type { ModelRequest } from "../request/model-request.ts"

const References = z.array(FileReference).max(100)

const maxQuestionLength = 10_000

/** The text of a message's content, which may have parts. */
export const textOfContent = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part) => (typeof part?.text === "string" ? part.text : ""))
    .filter(Boolean)
    .join("\n")
}

const textOfMessage = (message: Fields): string =>
  textOfContent(message.content).trim().slice(0, maxQuestionLength)

/** The retrieval query: the user's last message, the one before it, and the messages between. */
const searchQueryOf = (messages: unknown) => {
  const all = objectsIn(messages)
  const last = all.findLastIndex(({ role }) => role === "user")
  const turns = turnsOf(all.slice(0, Math.max(0, last)))
  const question = textOfMessage(all[last] ?? {})
  return { question, previous: turns.findLast(({ role }) => role === "user")?.text, turns }
}

/** What users and the model have said; other messages say nothing about the question. */
const turnsOf = (messages: readonly Fields[]): ConversationTurn[] =>
  messages.flatMap((message): ConversationTurn[] => {
    const { role } = message
    const text = textOfMessage(message)
    return (role === "user" || role === "assistant") && text !== "" ? [{ role, text }] : []
  })

const textsOf = (messages: unknown): string[] =>
  objectsIn(messages).map(({ content }) => textOfContent(content))

/**
 * Collections attached to a workspace model: ids, or objects with an id. They are searched with the
 * model owner's access, unless other users may edit the model and could attach collections
 * themselves.
 */
const attachedCollections = (
  { workspace }: ResolvedModel,
  ownerOf: ModelCatalogue["ownerOf"],
): ModelCollection[] =>
  workspace.flatMap((model) => {
    const ids = collectionIdsOf(model.meta.knowledge)
    if (ids.length === 0) return []
    const othersWrite = model.access_grants.some(({ permission }) => permission === "write")
    const owner = othersWrite ? undefined : ownerOf(model)
    return ids.map((id) => ({ id, owner }))
  })

/** A request with its sources added, and the citations to report with the response. */
export interface RequestWithSources {
  request: ModelRequest
  /** Null if no sources were requested. */
  citationResult: AnswerSources | null
}

interface Deps {
  sourceFinder: SourceFinder
  contextBudget: ContextBudget
  ownerOf: ModelCatalogue["ownerOf"]
  template: () => string
}

interface SourceSearchInput extends Pick<RewritingContext, "reportCost"> {
  request: ModelRequest
  resolved: ResolvedModel
  signal: AbortSignal
}

/** Whether a request or its model refers to files or collections. */
export const needsSources = (
  { operation, fields }: ModelRequest,
  resolved: ResolvedModel,
): boolean =>
  operation.isChatCompletion &&
  ("files" in fields || resolved.workspace.some(({ meta }) => Array.isArray(meta.knowledge)))

/** Replaces the request's `files` with the passages found in them. @throws {Failure} */
export const createSourceSearch =
  ({ sourceFinder, contextBudget, ownerOf, template }: Deps) =>
  async (caller: Caller, input: SourceSearchInput): Promise<RequestWithSources> => {
    const { resolved, signal, reportCost } = input
    const parsed = References.safeParse(input.request.fields.files ?? [])
    if (!parsed.success) {
      const expected = 'an array of {"type":"file" or "collection","id":"…"}'
      return fail("bad_request", `"files" must be ${expected}.`, { param: "files" })
    }
    const request = input.request.withoutMember("files")
    const { messages } = request.fields
    const attached = attachedCollections(resolved, ownerOf)
    if (parsed.data.length + attached.length === 0) return { request, citationResult: null }
    const { question, previous, turns } = searchQueryOf(messages)
    const cited = await sourceFinder.findSources(caller, {
      references: parsed.data,
      modelCollections: attached,
      ...{ question, previous },
      rewriting: {
        chatModel: rewritingModelOf(resolved),
        mode: rewritingModeOf(resolved),
        turns,
        reportCost,
      },
      maxTokens: contextBudget({ model: resolved, conversation: textsOf(messages) }),
      signal,
    })
    return {
      request: request.with({ sourcePrompt: createSourcePrompt(cited, template()) }),
      citationResult: cited,
    }
  }
