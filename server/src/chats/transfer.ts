import { setImmediate as breathe } from "node:timers/promises"
import type { Caller } from "../http/caller.ts"
import type { Answers } from "./answers.ts"
import type { Chats } from "./chats.ts"
import { branchTo } from "./conversation.ts"
import { toMarkdown } from "./markdown.ts"
import type { MessageStore } from "./message-store.ts"
import type { SharedView } from "./shared-view.ts"
import type { ChatStore, StoredChat } from "./store.ts"
import type { ExportedChat } from "./transfer-schema.ts"

interface Needs {
  chats: Chats
  store: ChatStore
  messages: MessageStore
  answers: Answers
  sharedView: SharedView
}

/** Takes chats out as files. */
export const createTransfer = (needs: Needs) => {
  const { chats, store, messages, answers, sharedView } = needs

  /** Messages as the caller may see them, each with the words of its sources. */
  const quoting = async (caller: Caller, chat: StoredChat) => {
    const { messages: all } = await answers.stateOf(chat.id)
    const shown = await sharedView.redactMessages(caller, chat.user_id, all)
    const passages = await messages.passages(chat.id, null)
    return shown.map((message) => ({
      ...message,
      sources:
        message.sources?.map((source, index) => {
          const text = passages.get(message.id)?.[index]?.text ?? ""
          return source && { ...source, text }
        }) ?? null,
    }))
  }

  const exported = async (caller: Caller, chat: StoredChat): Promise<ExportedChat> => {
    const shown = await quoting(caller, chat)
    const images = await messages.images(chat.id)
    const { title, folder, tags, models, system, params, current_id, created_at, updated_at } = chat
    const withBytes = shown.map((message) => ({
      ...message,
      state: message.state === "running" ? ("interrupted" as const) : message.state,
      images: message.images.flatMap(({ id }) => {
        const image = images.get(id)
        if (!image) return []
        return { media_type: image.media_type as "image/png", base64: image.base64 }
      }),
    }))
    const own = { title, folder, tags, models, system, params, current_id, created_at, updated_at }
    return { ...own, messages: withBytes }
  }

  return {
    /** Every branch, and the images with their bytes. */
    asJson: async (caller: Caller, id: string): Promise<ExportedChat> => {
      const chat = await chats.readable(caller, id)
      return exported(caller, chat)
    },

    /** The shown branch, to be read by people. */
    asMarkdown: async (caller: Caller, id: string): Promise<string> => {
      const chat = await chats.readable(caller, id)
      return toMarkdown(chat.title, branchTo(await quoting(caller, chat), chat.current_id))
    },

    /** All chats of the caller, one after the other. */
    all: async function* (caller: Caller): AsyncGenerator<ExportedChat> {
      for (const id of await store.idsOf(caller.user.id)) {
        const chat = await store.byId(id)
        if (chat) yield await exported(caller, chat)
        await breathe()
      }
    },
  }
}

export type Transfer = ReturnType<typeof createTransfer>
