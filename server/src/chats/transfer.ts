import { setImmediate as breathe } from "node:timers/promises"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { Answers } from "./answers.ts"
import type { Chats } from "./chats.ts"
import { branchTo, titleFrom } from "./conversation.ts"
import type { Imported } from "./import-file.ts"
import { fromMarkdown, toMarkdown } from "./markdown.ts"
import type { MessageStore } from "./message-store.ts"
import { type Message, unwritten } from "./schema.ts"
import type { Passage, Source } from "./source-schema.ts"
import type { ChatStore, StoredChat } from "./store.ts"
import type { ExportedChat, ExportedMessage } from "./transfer-schema.ts"
import type { Withholding } from "./withholding.ts"

interface Needs {
  db: Database
  bus: Bus
  chats: Chats
  store: ChatStore
  messages: MessageStore
  answers: Answers
  withholding: Withholding
  newId: () => string
  now: () => number
}

/** On SQLite nothing in a transaction waits for anything: others are served between. */
const messagesAtOnce = 50

/** Parents before their children, each once; what hangs on nothing, or on itself, is a root. */
const inOrder = (messages: readonly ExportedMessage[]): ExportedMessage[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const placed = new Map<string, ExportedMessage>()
  for (const first of byId.values()) {
    for (const message of upwards(first, byId, placed).reverse()) {
      const parent = message.parent_id
      const known = parent !== null && placed.has(parent)
      placed.set(message.id, { ...message, parent_id: known ? parent : null })
    }
  }
  return [...placed.values()]
}

/** A message and those above it that are not placed yet, the nearest first. */
const upwards = (
  first: ExportedMessage,
  byId: ReadonlyMap<string, ExportedMessage>,
  placed: ReadonlyMap<string, ExportedMessage>,
): ExportedMessage[] => {
  const chain = new Set<ExportedMessage>()
  let at: ExportedMessage | undefined = first
  while (at && !placed.has(at.id) && !chain.has(at)) {
    chain.add(at)
    at = at.parent_id === null ? undefined : byId.get(at.parent_id)
  }
  return [...chain]
}

const placeOf = ({ text, ...place }: Passage): Source => place

/** Takes chats out as files, and in again as new chats of whoever brings them. */
export const createTransfer = (needs: Needs) => {
  const { db, bus, chats, store, messages, answers, withholding, newId, now } = needs

  /** Messages as the caller may see them, each with the words of its sources. */
  const quoting = async (caller: Caller, chat: StoredChat) => {
    const { messages: all } = await answers.stateOf(chat.id)
    const shown = await withholding.messages(caller, chat.user_id, all)
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

  const cite = async (tx: Tx, row: Message, source: ExportedMessage | undefined): Promise<void> => {
    if (!source?.sources) return
    const texts = source.sources.map((passage) => passage?.text ?? "")
    await messages.cite(tx, row, texts)
  }

  const importOne = async (caller: Caller, source: ExportedChat): Promise<string> => {
    const id = newId()
    const ordered = inOrder(source.messages)
    const newIdByOld = new Map(ordered.map((message) => [message.id, newId()]))
    const renamed = (old: string | null): string | null =>
      old === null ? null : (newIdByOld.get(old) ?? null)
    const imagesById = new Map<string, { id: string; media_type: string; base64: string }[]>()
    const rows = ordered.map((message): Message => {
      const own = renamed(message.id) ?? newId()
      const images = message.images.map((image) => ({ ...image, id: newId() }))
      imagesById.set(own, images)
      return {
        ...message,
        id: own,
        chat_id: id,
        parent_id: renamed(message.parent_id),
        images: images.map((image) => ({ id: image.id, media_type: image.media_type })),
        sources: message.sources?.map((passage) => passage && placeOf(passage)) ?? null,
        ...unwritten,
      }
    })
    const { messages: _, ...rest } = source
    const firstWords = ordered.find(({ role }) => role === "user")?.content ?? ""
    await db.transact(async (tx) => {
      await store.insert(tx, {
        ...rest,
        id,
        user_id: caller.user.id,
        title: source.title.trim() || titleFrom(firstWords),
        title_source: "person",
        pinned: false,
        archived: false,
        shared: false,
        current_id: renamed(source.current_id) ?? rows.at(-1)?.id ?? null,
      })
      for (const [index, row] of rows.entries()) {
        if (index % messagesAtOnce === 0) {
          await messages.insert(tx, id, rows.slice(index, index + messagesAtOnce))
          await breathe()
        }
        await messages.insertImages(tx, row.id, imagesById.get(row.id) ?? [])
        await cite(tx, row, ordered[index])
      }
      await bus.publish(tx, { topic: "chats", user_id: caller.user.id, id })
    })
    return id
  }

  /** All are checked before the first is taken in; of several none is held in memory meanwhile. */
  const importAll = async (
    caller: Caller,
    chats: () => AsyncIterable<ExportedChat>,
  ): Promise<string[]> => {
    let checked = 0
    let only: ExportedChat | null = null
    for await (const chat of chats()) only = checked++ === 0 ? chat : null
    if (only) return [await importOne(caller, only)]
    const ids: string[] = []
    for await (const chat of chats()) ids.push(await importOne(caller, chat))
    return ids
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

    /** @returns the ids of the new chats */
    import: async (caller: Caller, input: Imported): Promise<string[]> => {
      if (!("markdown" in input)) return importAll(caller, input.chats)
      const chat = fromMarkdown(input.markdown, now())
      if (!chat) return fail("invalid", "No conversation can be found in this Markdown")
      return [await importOne(caller, chat)]
    },
  }
}

export type Transfer = ReturnType<typeof createTransfer>
