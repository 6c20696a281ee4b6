import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { ChatImportResult } from "../../../server/src/conversations/import-export/schema.ts"
import type {
  Chat,
  ChatChanges,
  ChatListItem,
  ChatWithMessages,
  Message,
  NewChat,
  NewMessage,
  StartedAnswers,
} from "../../../server/src/conversations/schema.ts"
import { api, callJson } from "./api.ts"
import { saveNow } from "./delayed-saves.ts"
import { invalidateQueries, queryClient } from "./query-client.ts"
import { routeQuery } from "./route-query.ts"

export type { Chat, ChatChanges, ChatListItem, ChatWithMessages, Message }

const pageSize = 50
const base = "/api/v1/chats"
const pathOf = (id: string): string => `${base}/${encodeURIComponent(id)}`

export interface ChatFilter {
  query?: string
  folder?: string
  without_folder?: boolean
  tag?: string
  archived?: boolean
  pinned?: boolean
}

/** The chats in the sidebar, page by page. */
export const chatListQuery = (filter: ChatFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ["chats", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/v1/chats", {
        query: { ...filter, page: pageParam, page_size: pageSize },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ items }, _pages, page) =>
      items.length === pageSize ? page + 1 : undefined,
  })

/**
 * A refetch may be older than what the event stream has delivered since: keep the longer content
 * and messages it lacks.
 */
const keepNewerMessages = (fetched: ChatWithMessages, known: ChatWithMessages | undefined) => {
  const byId = new Map(known?.messages.map((message) => [message.id, message]))
  const messages = fetched.messages.map((message) => {
    const before = byId.get(message.id)
    byId.delete(message.id)
    const isBehind = message.state === "running" && before !== undefined
    return isBehind && before.content.length > message.content.length
      ? { ...message, content: before.content, reasoning: before.reasoning }
      : message
  })
  return { ...fetched, messages: [...messages, ...byId.values()] }
}

/** A chat with all its messages, which the server returns in pages. */
const fetchChat = async (id: string, signal: AbortSignal): Promise<ChatWithMessages> => {
  const chat = await api.get("/api/v1/chats/:id", { params: { id }, signal })
  let { messages, earlier } = chat
  while (earlier !== null) {
    const query = { before: earlier }
    const page = await api.get("/api/v1/chats/:id/messages", { params: { id }, query, signal })
    messages = [...page.messages, ...messages]
    earlier = page.earlier
  }
  return { ...chat, messages, earlier }
}

export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: ["chats", "one", id],
    queryFn: async ({ signal }) => {
      const fetched = await fetchChat(id, signal)
      return keepNewerMessages(
        fetched,
        queryClient.getQueryData<ChatWithMessages>(["chats", "one", id]),
      )
    },
    staleTime: 30_000,
  })

export const labelsQuery = routeQuery(["chats", "labels"], "/api/v1/chats/labels")

/** The images of a chat that is not stored are data URLs. */
export const imageUrl = (chatId: string, imageId: string): string =>
  imageId.startsWith("data:") ? imageId : `${pathOf(chatId)}/images/${encodeURIComponent(imageId)}`

/** An export of several chats as one file. */
export const exportSomeUrl = (ids: readonly string[]): string =>
  `${base}/export?ids=${ids.map(encodeURIComponent).join(",")}`

export const exportUrl = (chatId: string, format: "json" | "markdown"): string =>
  `${pathOf(chatId)}/export?format=${format}`

export const eventsUrl = (chatId: string, after: number): string =>
  `${pathOf(chatId)}/events?after=${after}`

type OptionalFields<T> = { [K in keyof T]?: T[K] | undefined }

/** Updates the cached chat; does nothing if it is not cached. */
export const patchChat = (
  id: string,
  change: (chat: ChatWithMessages) => ChatWithMessages,
): void => {
  queryClient.setQueryData<ChatWithMessages>(["chats", "one", id], (chat) => chat && change(chat))
}

/** Replaces messages with the same ID and appends the others. */
export const mergeMessages = (
  chat: ChatWithMessages,
  newer: readonly Message[],
): ChatWithMessages => {
  const byId = new Map(newer.map((message) => [message.id, message]))
  const replaced = chat.messages.map((message) => {
    const next = byId.get(message.id)
    byId.delete(message.id)
    return next ?? message
  })
  return { ...chat, messages: [...replaced, ...byId.values()] }
}

export const refreshChatLists = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ["chats", "list"] })

export const chatApi = {
  create: (chat: OptionalFields<NewChat>) => api.post("/api/v1/chats/new", { body: chat }),

  /** Sends a message, after the chat's settings, and shows the new answers before their first event arrives. */
  sendMessage: async (id: string, message: OptionalFields<NewMessage>): Promise<StartedAnswers> => {
    await saveNow(id)
    const started = await api.post("/api/v1/chats/:id/messages", { params: { id }, body: message })
    const shownAnswer = started.messages.find(({ role }) => role === "assistant")
    patchChat(id, (chat) => ({
      ...mergeMessages(chat, started.messages),
      current_id: shownAnswer?.id ?? chat.current_id,
      seq: started.seq,
      title: chat.title,
    }))
    return started
  },

  /** Stores the user's version of an answer and shows it. */
  editAnswer: async ({ chat_id, id }: Message, content: string): Promise<void> => {
    const path = "/api/v1/chats/:id/messages/:message_id/edit"
    const params = { id: chat_id, message_id: id }
    const version = await api.post(path, { params, body: { content } })
    patchChat(chat_id, (chat) => ({ ...mergeMessages(chat, [version]), current_id: version.id }))
  },

  /** Shows the rating at once, and again without it if the server rejects it. */
  rateAnswer: async (message: Message, rating: Message["rating"]): Promise<void> => {
    const { chat_id, id } = message
    const show = (next: Message): void => patchChat(chat_id, (chat) => mergeMessages(chat, [next]))
    show({ ...message, rating })
    try {
      const path = "/api/v1/chats/:id/messages/:message_id/rating"
      const params = { id: chat_id, message_id: id }
      show(await api.post(path, { params, body: rating ?? { value: null } }))
    } catch (error) {
      show(message)
      throw error
    }
  },

  /** Copies a chat as one's own. */
  copy: async (id: string): Promise<string> => {
    const { id: copyId } = await api.post("/api/v1/chats/:id/copy", { params: { id } })
    void refreshChatLists()
    return copyId
  },

  stop: (id: string) => api.post("/api/v1/chats/:id/stop", { params: { id }, body: {} }),

  update: async (id: string, changes: ChatChanges, keepalive = false): Promise<void> => {
    patchChat(id, (chat) => ({ ...chat, ...(changes as Partial<Chat>) }))
    try {
      const chat = await api.post("/api/v1/chats/:id", { params: { id }, body: changes, keepalive })
      patchChat(id, (known) => ({ ...known, ...chat }))
    } catch (error) {
      void queryClient.invalidateQueries({ queryKey: chatQuery(id).queryKey })
      throw error
    } finally {
      void refreshChatLists()
      if (changes.folder !== undefined || changes.tags !== undefined) {
        // A new name creates a project.
        void invalidateQueries([labelsQuery.queryKey, ["chats", "projects"]])
      }
    }
  },

  share: async (id: string, shared: boolean): Promise<void> => {
    const chat = await api.post("/api/v1/chats/:id/share", { params: { id }, body: { shared } })
    patchChat(id, (known) => ({ ...known, ...chat }))
    void refreshChatLists()
  },

  remove: (id: string) => api.delete("/api/v1/chats/:id", { params: { id } }),

  /** @param onImported receives the counts of each batch, some of which may precede a failure */
  import: async (
    file: File,
    onImported: (counts: { imported: number; skipped: number }) => void,
  ): Promise<void> => {
    const text = await file.text()
    const markdown = /\.(md|markdown)$/i.test(file.name)
    const bodies = markdown ? [{ markdown: text }] : splitIntoBatches(parseExportedChats(text))
    try {
      for (const body of bodies) {
        const path = "/api/v1/chats/import"
        const options = { query: { skip_existing: true }, body }
        const { ids, skipped } = await callJson<ChatImportResult>("POST", path, options)
        onImported({ imported: ids.length, skipped })
      }
    } finally {
      void refreshChatLists()
    }
  },
}

/** The chats in an exported file, which holds either a list or a single chat. */
const parseExportedChats = (text: string): unknown[] => {
  const content: unknown = JSON.parse(text)
  if (typeof content !== "object" || content === null || !("chats" in content)) return [content]
  return Array.isArray(content.chats) ? content.chats : [content.chats]
}

const maxBatchSize = 200
const maxBatchCharacters = 8_000_000

/** Splits chats into batches within the server's limits on count and body size. */
function* splitIntoBatches(chats: readonly unknown[]): Generator<{ chats: unknown[] }> {
  let batch: unknown[] = []
  let characters = 0
  for (const chat of chats) {
    const { length } = JSON.stringify(chat)
    const isFull = batch.length === maxBatchSize || characters + length > maxBatchCharacters
    if (isFull && batch.length > 0) {
      yield { chats: batch }
      batch = []
      characters = 0
    }
    batch.push(chat)
    characters += length
  }
  if (batch.length > 0) yield { chats: batch }
}
