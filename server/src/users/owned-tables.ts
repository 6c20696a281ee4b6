import { sql } from "kysely"
import type { OwnedTable } from "../db/batched-deletion.ts"

const grantsOn = (type: "prompt" | "collection"): OwnedTable => ({
  table: "access_grants",
  owner: "resource_id",
  key: ["resource_type", "resource_id", "principal_type", "principal_id", "permission"],
  only: sql`resource_type = ${type}`,
})

const grantsToUser: OwnedTable = {
  table: "access_grants",
  owner: "principal_id",
  key: ["resource_type", "resource_id", "principal_type", "principal_id", "permission"],
  only: sql`principal_type = 'user'`,
}

export const collectionFilesTable: OwnedTable = {
  table: "collection_files",
  owner: "collection_id",
  key: ["collection_id", "file_id"],
}

/** Messages refer to earlier ones: a deletion that stops early leaves a shorter chat. */
export const chatMessagesTable: OwnedTable = {
  table: "chat_messages",
  owner: "chat_id",
  key: ["id"],
  lastFirst: "position",
  children: [
    { table: "chat_images", owner: "message_id", key: ["id"] },
    { table: "chat_passages", owner: "message_id", key: ["message_id"] },
    { table: "message_ratings", owner: "message_id", key: ["message_id"] },
  ],
}

/**
 * What a user may have more than some thousand rows of; rows of other tables are deleted with the
 * user's row. Shared objects come first, so that others lose access to all of them early.
 */
export const ownedTables: readonly OwnedTable[] = [
  grantsToUser,
  { table: "prompts", owner: "user_id", key: ["id"], children: [grantsOn("prompt")] },
  {
    table: "collections",
    owner: "user_id",
    key: ["id"],
    children: [grantsOn("collection"), collectionFilesTable],
  },
  {
    table: "files",
    owner: "user_id",
    key: ["id"],
    children: [
      { table: "collection_files", owner: "file_id", key: ["collection_id", "file_id"] },
      { table: "vector_batches", owner: "file_id", key: ["file_id", "space_id", "first"] },
      { table: "passages", owner: "file_id", key: ["file_id", "position"] },
      { table: "file_words", owner: "file_id", key: ["file_id"] },
      { table: "file_texts", owner: "file_id", key: ["file_id"] },
    ],
  },
  {
    table: "chats",
    owner: "user_id",
    key: ["id"],
    children: [
      { table: "chat_tags", owner: "chat_id", key: ["chat_id", "tag"] },
      chatMessagesTable,
    ],
  },
  {
    table: "stored_response_items",
    owner: "user_id",
    key: ["user_id", "response_id", "position"],
  },
  { table: "stored_responses", owner: "user_id", key: ["user_id", "id"] },
]
