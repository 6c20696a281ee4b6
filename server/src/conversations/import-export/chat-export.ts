import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { isOwn } from "../../grants/private-access.ts"
import type { Caller } from "../../http/caller.ts"
import type { CountPiece } from "../../http/route.ts"
import type { Answers } from "../answers/answers.ts"
import type { ChatPassage } from "../answers/source-schema.ts"
import type { ChatRedaction } from "../chats/chat-redaction.ts"
import type { ChatStore, StoredChat } from "../chats/chat-store.ts"
import type { Chats } from "../chats/chats.ts"
import { branchTo } from "../messages/branch-to.ts"
import { type PageSize, startOfChat } from "../messages/message-pages.ts"
import type { MessageStore } from "../messages/message-store.ts"
import type { Message } from "../schema.ts"
import { createMarkdownWriter } from "./chat-markdown.ts"

interface Deps {
  chats: Chats
  store: ChatStore
  messages: MessageStore
  answers: Answers
  redaction: ChatRedaction
}

/** A message with the texts of its sources. */
type MessageWithPassages = Omit<Message, "sources"> & { sources: (ChatPassage | null)[] | null }

/** How much is in memory at a time. */
const pageSize: PageSize = { messages: 100, bytes: 1_000_000 }

/** What is exported, for whom, and what counts the memory of each piece before it is read. */
interface ChatExportRequest {
  caller: Caller
  chat: StoredChat
  countPiece?: CountPiece
}

/** Exports chats as streams: each piece is read after the client has received the previous one. */
export const createChatExport = ({ chats, store, messages, answers, redaction }: Deps) => {
  const withPassages = async (
    caller: Caller,
    chat: StoredChat,
    page: readonly Message[],
  ): Promise<MessageWithPassages[]> => {
    const shown = await redaction.redactMessages(caller, chat.user_id, page)
    const answerIds = shown.filter(({ sources }) => sources !== null).map(({ id }) => id)
    const passages = await messages.passages(chat.id, answerIds)
    const addTexts = ({ id, sources }: Message) =>
      sources?.map((source, index) => {
        const text = passages.get(id)?.[index]?.text ?? ""
        return source && { ...source, text }
      }) ?? null
    return shown.map((message) => ({ ...message, sources: addTexts(message) }))
  }

  /** All messages of a chat, redacted for the caller. */
  async function* readMessages({
    caller,
    chat,
    countPiece,
  }: ChatExportRequest): AsyncGenerator<MessageWithPassages> {
    let start = startOfChat
    const options = { size: pageSize, ...(countPiece && { beforeRead: countPiece }) }
    for (let hasMore = true; hasMore; ) {
      const { page } = await answers.page(chat.id, { start, ...options })
      yield* await withPassages(caller, chat, page?.messages ?? [])
      hasMore = page?.hasMore ?? false
      if (page) start = { after: page.to }
      await yieldToEventLoop()
    }
  }

  async function* messageJson(
    { images, ...message }: MessageWithPassages,
    countPiece?: CountPiece,
  ): AsyncGenerator<string> {
    const state = message.state === "running" ? "interrupted" : message.state
    yield `${JSON.stringify({ ...message, state }).slice(0, -1)},"images":[`
    let separator = ""
    for (const { id } of images) {
      countPiece?.(await messages.imageSize(id))
      const image = await messages.image(message.chat_id, id)
      if (!image) continue
      yield separator + JSON.stringify({ media_type: image.media_type, base64: image.base64 })
      separator = ","
    }
    yield "]}"
  }

  async function* chatJson(request: ChatExportRequest): AsyncGenerator<string> {
    const { caller, chat, countPiece } = request
    const { user_id, pinned, archived, shared, ...fields } = chats.toReaderView(caller, chat)
    yield `${JSON.stringify(fields).slice(0, -1)},"messages":[`
    let separator = ""
    for await (const message of readMessages(request)) {
      yield separator
      yield* messageJson(message, countPiece)
      separator = ","
    }
    yield "]}"
  }

  async function* branchMarkdown(request: ChatExportRequest): AsyncGenerator<string> {
    const { chat } = request
    const branch = branchTo(await messages.links(chat.id), chat.current_id)
    const shown = new Set(branch.map(({ id }) => id))
    const markdown = createMarkdownWriter(chat.title)
    yield markdown.head
    let separator = ""
    // Messages are stored after the ones they reply to, so this is the order of the branch.
    for await (const message of readMessages(request)) {
      if (!shown.has(message.id)) continue
      yield separator + markdown.write(message)
      separator = "\n"
    }
  }

  return {
    /** An `ExportedChat` with every branch, and images including their bytes. */
    chatJson,

    /** The current branch, as readable Markdown. */
    branchMarkdown,

    /** An `ExportedChats` of the caller's chats: all of them, or those with the given IDs. */
    allJson: async function* (
      caller: Caller,
      countPiece: CountPiece,
      ids?: readonly string[],
    ): AsyncGenerator<string> {
      yield '{"portico_chats":1,"chats":['
      let separator = ""
      for (const id of ids ?? (await store.listIds(caller.user.id))) {
        const chat = await store.byId(id)
        if (!chat || !isOwn(chat, caller)) continue
        yield separator
        yield* chatJson({ caller, chat, countPiece })
        separator = ","
      }
      yield "]}"
    },
  }
}

export type ChatExport = ReturnType<typeof createChatExport>
