import { sql } from "kysely"
import type { Tx } from "../db/database.ts"
import type { Message } from "./schema.ts"

/** Of what a row has beside texts. */
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

/** What a message counts to its user's storage, in bytes, without images and passages. */
export const bytesOfRow = (row: CountedRow): number =>
  countedColumns.reduce((bytes, name) => bytes + Buffer.byteLength(row[name] ?? ""), rowBytes)

/** Of a message that says nothing yet. */
export const emptyMessageBytes = bytesOfRow({
  content: "",
  reasoning: "",
  error: null,
  files: "[]",
  sources: null,
  sources_skipped: "[]",
})

/** Of the texts in a message's row: asked of the database, it need not read them. */
export const textBytes = sql<number>`${sql.join(
  countedColumns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`),
  sql` + `,
)}`

/** What a message counts, in SQL, with the passages that it cites. */
const storedBytes = sql<number>`${sql.lit(rowBytes)} + ${textBytes} + coalesce(
  (select octet_length(texts) from chat_passages where message_id = chat_messages.id), 0)`

/** Counts what a message has become. */
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
