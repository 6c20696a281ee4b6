import { ApiError } from "../../lib/api.ts"
import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { buildTurns } from "../../lib/chat-tree.ts"
import {
  type CompletionBody,
  type CompletionDelta,
  CompletionError,
} from "../../lib/completion-stream.ts"
import { emptyMessage } from "../../lib/empty-message.ts"
import type { ChatSettings } from "./chat-settings.ts"
import type { OutgoingMessage } from "./use-stored-chat-backend.ts"

const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")

/** A chat that exists only on this page. */
export const createTemporaryChat = (): ChatWithMessages => ({
  id: `temporary-${newId()}`,
  user_id: "",
  title: "",
  folder: null,
  tags: [],
  pinned: false,
  archived: false,
  shared: false,
  models: [],
  system: "",
  params: {},
  current_id: null,
  created_at: 0,
  updated_at: 0,
  messages: [],
  earlier: null,
  seq: 0,
  writable: true,
})

const createMessage = (
  chat: ChatWithMessages,
  fields: Pick<Message, "role" | "parent_id" | "state"> & Partial<Message>,
): Message => ({
  ...emptyMessage,
  id: newId(),
  chat_id: chat.id,
  created_at: Math.floor(Date.now() / 1000),
  ...fields,
})

interface Question extends OutgoingMessage {
  parentId: string | null
}

/** An image's data URL is its ID, as nothing is stored under another one. */
export const createQuestion = (chat: ChatWithMessages, question: Question): Message => {
  const { parentId, content, images, files } = question
  const shown = images.map((url) => ({ id: url, media_type: "" }))
  const fields = { content, images: shown, files: [...files], state: "completed" as const }
  return createMessage(chat, { role: "user", parent_id: parentId, ...fields })
}

/** The answers of one or several models to the same question, still empty. */
export const createAnswers = (
  chat: ChatWithMessages,
  parentId: string | null,
  models: readonly string[],
): Message[] => {
  const batch = newId()
  const fields = { role: "assistant", parent_id: parentId, batch, state: "running" } as const
  return models.map((model) => createMessage(chat, { ...fields, model }))
}

const contentOf = ({ content, images }: Message): unknown =>
  images.length === 0
    ? content
    : [
        { type: "text", text: content },
        ...images.map(({ id }) => ({ type: "image_url", image_url: { url: id } })),
      ]

/** The request for an answer: its branch, with what has been written of the answer itself. */
export const buildCompletionBody = (
  { messages }: ChatWithMessages,
  answer: Message,
  { system, params }: ChatSettings,
): CompletionBody => {
  const branch = buildTurns(messages, answer.id).map(({ chosen }) => chosen)
  const sent = branch.filter(({ role, content }) => role === "user" || content !== "")
  const files = branch.findLast(({ role }) => role === "user")?.files ?? []
  return {
    ...params,
    model: answer.model ?? "",
    messages: [
      ...(system.trim() ? [{ role: "system", content: system }] : []),
      ...sent.map((message) => ({ role: message.role, content: contentOf(message) })),
    ],
    ...(files.length > 0 && { files: files.map(({ type, id }) => ({ type, id })) }),
  }
}

/** @param elapsedMs since the request was sent */
export const addDelta = (answer: Message, delta: CompletionDelta, elapsedMs: number): Message => {
  const hasThought = answer.content === "" && delta.content !== "" && answer.reasoning !== ""
  return {
    ...answer,
    content: answer.content + delta.content,
    reasoning: answer.reasoning + delta.reasoning,
    finish_reason: delta.finishReason ?? answer.finish_reason,
    tokens_in: delta.tokens?.in ?? answer.tokens_in,
    tokens_out: delta.tokens?.out ?? answer.tokens_out,
    time_to_first_token_ms: answer.time_to_first_token_ms ?? elapsedMs,
    thinking_ms: answer.thinking_ms ?? (hasThought ? elapsedMs : null),
  }
}

/** What the answer shows if its request failed. */
export const failedAnswerFields = (error: unknown): Partial<Message> => {
  const message = error instanceof Error ? error.message : String(error)
  const isKnown = error instanceof ApiError || error instanceof CompletionError
  const code = isKnown ? error.code : "unreachable"
  const status = error instanceof ApiError ? error.status : null
  return {
    state: "failed",
    error: { code, message, status, raw: null },
    request_id: error instanceof ApiError ? error.requestId : null,
  }
}
