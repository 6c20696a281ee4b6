import { type Selectable, sql } from "kysely"
import { orderByIds } from "../../db/chunked-queries.ts"
import type { ChatRow } from "../../db/conversation-tables.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { foldCase } from "../../db/fold-case.ts"
import { readPage } from "../../db/paged-queries.ts"
import { columnContains, columnContainsFolding } from "../../db/text-matching.ts"
import type { Page } from "../../http/pagination.ts"
import {
  type Chat,
  type ChatLabels,
  type ChatListItem,
  type ChatListQuery,
  TitleSource,
} from "../schema.ts"
import { createSearchSnippet } from "./search-snippet.ts"

/** Size of a row apart from its texts. */
const rowBytes = 500

export interface StoredChat extends Chat {
  title_source: TitleSource
}

const toChat = (row: Selectable<ChatRow>, tags: string[]): StoredChat => {
  const { title_key, text_bytes, image_bytes, import_key, ...chat } = row
  return {
    ...chat,
    title_source: TitleSource.parse(row.title_source),
    tags,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    shared: row.shared === 1,
    models: JSON.parse(row.models),
    params: JSON.parse(row.params),
  }
}

/** Maximum number of folders, and of tags; a longer list is of no use. */
const maxLabels = 1000

const bit = (condition: boolean): 0 | 1 => (condition ? 1 : 0)

const toRow = ({ tags, ...chat }: StoredChat) => ({
  ...chat,
  title_key: foldCase(chat.title),
  pinned: bit(chat.pinned),
  archived: bit(chat.archived),
  shared: bit(chat.shared),
  models: JSON.stringify(chat.models),
  params: JSON.stringify(chat.params),
})

/** Size of a chat without messages; part of `chats.text_bytes`. */
export const chatBytesWithoutMessages = ({
  system,
  params,
}: Pick<Chat, "system" | "params">): number =>
  rowBytes + Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(params))

const sortColumns = {
  updated_at: "updated_at",
  created_at: "created_at",
  title: "title_key",
} as const

const insertTags = async (tx: Tx, chatId: string, tags: readonly string[]): Promise<void> => {
  const rows = [...new Set(tags)].map((tag) => ({ chat_id: chatId, tag }))
  if (rows.length > 0) await tx.insertInto("chat_tags").values(rows).execute()
}

/** @param importKey see `chats.import_key` */
export const insertChat = async (
  tx: Tx,
  chat: StoredChat,
  importKey: string | null = null,
): Promise<void> => {
  const bytes = { text_bytes: chatBytesWithoutMessages(chat), image_bytes: 0 }
  await tx
    .insertInto("chats")
    .values({ ...toRow(chat), ...bytes, import_key: importKey })
    .execute()
  await insertTags(tx, chat.id, chat.tags)
}

export const createChatStore = (db: Database) => {
  const readTags = async (
    ids: readonly string[],
    reader: Reader,
  ): Promise<Map<string, string[]>> => {
    const byId = new Map<string, string[]>(ids.map((id) => [id, []]))
    if (ids.length === 0) return byId
    const rows = await reader
      .selectFrom("chat_tags")
      .selectAll()
      .where("chat_id", "in", ids)
      .orderBy("tag")
      .execute()
    for (const { chat_id, tag } of rows) byId.get(chat_id)?.push(tag)
    return byId
  }

  const matchingChats = (reader: Reader, userId: string, query: ChatListQuery) => {
    let found = reader
      .selectFrom("chats")
      .where("user_id", "=", userId)
      .where("archived", "=", bit(query.archived))
    if (query.folder !== undefined) found = found.where("folder", "=", query.folder)
    if (query.without_folder) found = found.where("folder", "is", null)
    if (query.pinned !== undefined) found = found.where("pinned", "=", bit(query.pinned))
    if (query.tag !== undefined) {
      const { tag } = query
      found = found.where(({ exists, selectFrom }) =>
        exists(
          selectFrom("chat_tags")
            .select("tag")
            .whereRef("chat_tags.chat_id", "=", "chats.id")
            .where("tag", "=", tag),
        ),
      )
    }
    const { query: text } = query
    if (!text) return found
    return found.where(({ or, exists, selectFrom }) =>
      or([
        columnContains("title_key", text),
        exists(
          selectFrom("chat_messages")
            .select("chat_messages.id")
            .whereRef("chat_messages.chat_id", "=", "chats.id")
            .where(columnContainsFolding("content", text)),
        ),
      ]),
    )
  }

  const filterRunning = async (ids: readonly string[]): Promise<Set<string>> => {
    if (ids.length === 0) return new Set()
    const rows = await db.read
      .selectFrom("chat_messages")
      .select("chat_id")
      .distinct()
      .where("state", "=", "running")
      .where("chat_id", "in", ids)
      .execute()
    return new Set(rows.map(({ chat_id }) => chat_id))
  }

  /** A snippet of the first message in each chat that contains the text. */
  const findSnippets = async (ids: readonly string[], text: string | undefined) => {
    const byId = new Map<string, { snippet: string; snippet_message_id: string }>()
    if (!text || ids.length === 0) return byId
    const rows = await db.backgroundReader
      .selectFrom("chat_messages")
      .select(["id", "chat_id", "content"])
      .where("chat_id", "in", ids)
      .where(columnContainsFolding("content", text))
      .orderBy("position", "desc")
      .execute()
    for (const { id, chat_id, content } of rows) {
      const snippet = createSearchSnippet(content, text)
      byId.set(chat_id, { snippet, snippet_message_id: id })
    }
    return byId
  }

  const sortChats = (
    found: ReturnType<typeof matchingChats>,
    { order_by, direction }: ChatListQuery,
  ) => found.orderBy(sortColumns[order_by], direction).orderBy("id", direction)

  /** Searches every message of the account only once, for both the page and the total. */
  const searchPage = async (userId: string, query: ChatListQuery) => {
    const found = await sortChats(matchingChats(db.backgroundReader, userId, query), query)
      .select("id")
      .execute()
    const first = (query.page - 1) * query.page_size
    const ids = found.slice(first, first + query.page_size).map(({ id }) => id)
    return { ids, total: found.length }
  }

  const listPageIds = async (userId: string, query: ChatListQuery) => {
    if (query.query) return searchPage(userId, query)
    // Only this order has an index; for any other one, all chats of the account are sorted.
    const reader = query.order_by === "updated_at" ? db.read : db.backgroundReader
    const found = sortChats(matchingChats(reader, userId, query), query).select("id")
    const { items, total } = await readPage(found, query)
    return { ids: items.map(({ id }) => id), total }
  }

  /**
   * In the order of `ids`. Read separately, so that the database need not sort long system prompts.
   */
  const readRows = async (ids: readonly string[]): Promise<Selectable<ChatRow>[]> => {
    if (ids.length === 0) return []
    const rows = await db.read.selectFrom("chats").selectAll().where("id", "in", ids).execute()
    return orderByIds(ids, rows)
  }

  return {
    byId: async (id: string, reader: Reader = db.read): Promise<StoredChat | undefined> => {
      const chats = reader.selectFrom("chats").selectAll().where("id", "=", id)
      const row = await chats.executeTakeFirst()
      return row && toChat(row, (await readTags([id], reader)).get(id) ?? [])
    },

    list: async (userId: string, query: ChatListQuery): Promise<Page<ChatListItem>> => {
      const { ids, total } = await listPageIds(userId, query)
      const rows = await readRows(ids)
      const tags = await readTags(ids, db.read)
      const running = await filterRunning(ids)
      const snippets = await findSnippets(ids, query.query)
      const items = rows.map((row) => {
        const { system, params, title_source, ...chat } = toChat(row, tags.get(row.id) ?? [])
        const found = snippets.get(row.id) ?? { snippet: null, snippet_message_id: null }
        return { ...chat, running: running.has(row.id), ...found }
      })
      return { items, total }
    },

    /** What a chat stores, in bytes; 0 if it does not exist. */
    size: async (id: string): Promise<number> => {
      const row = await db.read
        .selectFrom("chats")
        .select(["text_bytes", "image_bytes"])
        .where("id", "=", id)
        .executeTakeFirst()
      return row ? Number(row.text_bytes) + Number(row.image_bytes) : 0
    },

    /** All chats of an account, oldest first. */
    listIds: async (userId: string): Promise<string[]> => {
      const rows = await db.read
        .selectFrom("chats")
        .select("id")
        .where("user_id", "=", userId)
        .orderBy("id")
        .execute()
      return rows.map(({ id }) => id)
    },

    labels: async (userId: string): Promise<ChatLabels> => {
      // In the background: a user with very many chats has very many tags.
      const folders = await db.backgroundReader
        .selectFrom("chats")
        .select("folder")
        .distinct()
        .where("user_id", "=", userId)
        .where("folder", "is not", null)
        .orderBy("folder")
        .limit(maxLabels)
        .execute()
      const tags = await db.backgroundReader
        .selectFrom("chat_tags")
        .innerJoin("chats", "chats.id", "chat_tags.chat_id")
        .select("tag")
        .distinct()
        .where("user_id", "=", userId)
        .orderBy("tag")
        .limit(maxLabels)
        .execute()
      return {
        folders: folders.flatMap(({ folder }) => (folder === null ? [] : [folder])),
        tags: tags.map(({ tag }) => tag),
      }
    },

    insert: (tx: Tx, chat: StoredChat): Promise<void> => insertChat(tx, chat),

    update: async (tx: Tx, chat: StoredChat): Promise<void> => {
      const { id, ...row } = toRow(chat)
      const text_bytes = sql<number>`text_bytes + ${chatBytesWithoutMessages(chat) - rowBytes}
        - octet_length(system) - octet_length(params)`
      await tx
        .updateTable("chats")
        .set({ ...row, text_bytes })
        .where("id", "=", id)
        .execute()
      await tx.deleteFrom("chat_tags").where("chat_id", "=", id).execute()
      await insertTags(tx, id, chat.tags)
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await tx.deleteFrom("chats").where("id", "=", id).execute()
    },
  }
}

export type ChatStore = ReturnType<typeof createChatStore>
