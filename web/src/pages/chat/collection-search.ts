import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { type KnowledgeSearchParams, maxQuestionLength } from "../../lib/knowledge-search-params.ts"

/** Parameters of a collection's search page for an answer's question. */
export interface CollectionSearch {
  collectionId: string
  search: KnowledgeSearchParams
}

const textOf = (message: Message | undefined): string | undefined =>
  message?.content.trim().slice(0, maxQuestionLength) || undefined

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
  const [question, previous] = ancestorsOf(messages, answer).filter(({ role }) => role === "user")
  const collection = question?.files.find(({ type }) => type === "collection")
  const q = textOf(question)
  // Readers of a shared chat may not have access to its collections.
  if (!writable || !collection || q === undefined) return null
  const search = { q, previous: textOf(previous), model: answer.model ?? undefined }
  return { collectionId: collection.id, search }
}
