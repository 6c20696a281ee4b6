import { createValueStore } from "../../browser/value-store.ts"

/** The chats selected in the sidebar; null unless chats are being selected. */
export type ChatSelection = ReadonlyMap<string, { id: string; title: string }> | null

const selection = createValueStore<ChatSelection>(null)
/** Where a range begins: the chat that was toggled last. */
let anchor: string | null = null

/** The chats in the list, in the order displayed. */
const listedChats = (): { id: string; title: string }[] =>
  [...document.querySelectorAll<HTMLElement>("[data-chat-id]")].map(({ dataset }) => ({
    id: dataset.chatId ?? "",
    title: dataset.chatTitle ?? "",
  }))

/** The chats from the one toggled last to this one. */
const rangeTo = (id: string): { id: string; title: string }[] => {
  const chats = listedChats()
  const from = chats.findIndex((chat) => chat.id === anchor)
  const to = chats.findIndex((chat) => chat.id === id)
  return from < 0
    ? chats.slice(to, to + 1)
    : chats.slice(Math.min(from, to), Math.max(from, to) + 1)
}

export const startSelectingChats = (): void => {
  anchor = null
  selection.set(new Map())
}

export const endSelectingChats = (): void => selection.set(null)

/** Selects or deselects a chat, or with `toRange` all chats from the one toggled last. */
export const toggleChat = (id: string, toRange: boolean): void => {
  const next = new Map(selection.get())
  const isAdding = !next.has(id)
  const toggled = toRange ? rangeTo(id) : listedChats().filter((chat) => chat.id === id)
  for (const chat of toggled) {
    if (isAdding) next.set(chat.id, chat)
    else next.delete(chat.id)
  }
  anchor = id
  selection.set(next)
}

export const selectAllChats = (): void =>
  selection.set(new Map(listedChats().map((chat) => [chat.id, chat])))

export const useChatSelection = selection.useValue

export const readChatSelection = selection.get
