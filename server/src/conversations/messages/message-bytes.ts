import { sql } from "kysely"
import type { Tx } from "../../db/database.ts"
import type { Message } from "../schema.ts"

/** Size of a row apart from its texts. */
const rowBytes = 400

const countedColumns = [
  "content",
  "reasoning",
  "error",
  "files",
  "sources",
  "sources_skipped",
] as const

type CountedRow = Record<(typeof countedColumns)[number], string | null>

/** A message's share of its owner's storage, in bytes, without images and passages. */
export const messageRowBytes = (row: CountedRow): number =>
  countedColumns.reduce((bytes, name) => bytes + Buffer.byteLength(row[name] ?? ""), rowBytes)

/** The size of a message without any text. */
export const emptyMessageBytes = messageRowBytes({
  content: "",
  reasoning: "",
  error: null,
  files: "[]",
  sources: null,
  sources_skipped: "[]",
})

/** The size of the texts in a message's row. Computed in SQL, without reading the texts. */
export const textBytes = sql<number>`${sql.join(
  countedColumns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`),
  sql` + `,
)}`

/** A message's size in SQL, including the passages that it cites and the reason for its rating. */
const storedBytes = sql<number>`${sql.lit(rowBytes)} + ${textBytes} + coalesce(
  (select octet_length(texts) from chat_passages where message_id = chat_messages.id), 0)
  + coalesce(
  (select octet_length(reason) from message_ratings where message_id = chat_messages.id), 0)`

/** Updates the stored size of a message and its chat. */
export const recountMessage = async (
  tx: Tx,
  { id, chat_id }: Pick<Message, "id" | "chat_id">,
): Promise<void> => {
  const added = sql<number>`(select ${storedBytes} - bytes from chat_messages where id = ${id})`
  await tx
    .updateTable("chats")
    .set({ text_bytes: sql<number>`text_bytes + coalesce(${added}, 0)` })
    .where("id", "=", chat_id)
    .execute()
  await tx.updateTable("chat_messages").set({ bytes: storedBytes }).where("id", "=", id).execute()
}
