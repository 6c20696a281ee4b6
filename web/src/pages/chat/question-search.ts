import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { type KnowledgeSearch, maxQuestionLength } from "../../lib/knowledge-search.ts"

/** A collection's search page with the question of an answer. */
export interface QuestionSearch {
  collectionId: string
  search: KnowledgeSearch
}

const textOf = (message: Message | undefined): string | undefined =>
  message?.content.trim().slice(0, maxQuestionLength) || undefined

/** From the message's parent to the root; a message that comes again ends it. */
const ancestorsOf = (messages: readonly Message[], { parent_id }: Message): Message[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const ancestors: Message[] = []
  for (let next = byId.get(parent_id ?? ""); next; next = byId.get(next.parent_id ?? "")) {
    byId.delete(next.id)
    ancestors.push(next)
  }
  return ancestors
}

/** Null where no collection is attached to the question, or where it has no words. */
export const questionSearchOf = (
  { messages, writable }: Pick<ChatWithMessages, "messages" | "writable">,
  answer: Message,
): QuestionSearch | null => {
  const [question, previous] = ancestorsOf(messages, answer).filter(({ role }) => role === "user")
  const collection = question?.files.find(({ type }) => type === "collection")
  const q = textOf(question)
  // Those who read a shared chat may not be able to open its collections.
  if (!writable || !collection || q === undefined) return null
  return { collectionId: collection.id, search: { q, previous: textOf(previous) } }
}
