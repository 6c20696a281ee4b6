import { z } from "zod"
import type { Reader, Tx } from "../db/database.ts"

/** State of the audit log, stored as JSON under a name. */
export const readAuditState = async <T extends z.ZodType>(
  reader: Reader,
  name: string,
  schema: T,
): Promise<z.output<T> | undefined> => {
  const row = await reader
    .selectFrom("audit_state")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst()
  return row && schema.parse(JSON.parse(row.value))
}

export const writeAuditState = async (tx: Tx, name: string, value: unknown): Promise<void> => {
  const row = { name, value: JSON.stringify(value) }
  await tx
    .insertInto("audit_state")
    .values(row)
    .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
    .execute()
}

/** The last block of the chain, signed, so that truncating the chain is detected. */
export const ChainHead = z.object({ number: z.int(), hash: z.string(), signature: z.string() })
export type ChainHead = z.output<typeof ChainHead>
export const chainHeadStateName = "head"
