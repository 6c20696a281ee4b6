import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { type KnowledgeSearchParams, maxQuestionLength } from "../../lib/knowledge-search-params.ts"

/** Parameters of a collection's search page for an answer's question. */
export interface CollectionSearch {
  collectionId: string
  search: KnowledgeSearchParams
  /** The answer to the preceding question, as far as a chat reads it. */
  previousAnswer: string | undefined
}

/** Characters of a message that are read when a question is rewritten. */
const maxAnswerLength = 10_000

const textOf = (message: Message | undefined, maxLength = maxQuestionLength): string | undefined =>
  message?.content.trim().slice(0, maxLength) || undefined

/** From the message's parent to the root; stops at a cycle. */
const ancestorsOf = (messages: readonly Message[], { parent_id }: Message): Message[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const ancestors: Message[] = []
  for (let next = byId.get(parent_id ?? ""); next; next = byId.get(next.parent_id ?? "")) {
    byId.delete(next.id)
    ancestors.push(next)
  }
  return ancestors
}

/** Null if no collection is attached to the question or it has no text. */
export const findCollectionSearch = (
  { messages, writable }: Pick<ChatWithMessages, "messages" | "writable">,
  answer: Message,
): CollectionSearch | null => {
  const ancestors = ancestorsOf(messages, answer)
  const [question, previous] = ancestors.filter(({ role }) => role === "user")
  const collection = question?.files.find(({ type }) => type === "collection")
  const q = textOf(question)
  // Readers of a shared chat may not have access to its collections.
  if (!writable || !collection || q === undefined) return null
  const search = { q, previous: textOf(previous), model: answer.model ?? undefined }
  const previousAnswer = ancestors.find(({ role }) => role === "assistant")
  return {
    collectionId: collection.id,
    search,
    previousAnswer: textOf(previousAnswer, maxAnswerLength),
  }
}
