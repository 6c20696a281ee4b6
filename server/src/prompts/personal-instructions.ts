import type { Audit } from "../audit/audit.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { PersonalInstructions as Instructions } from "./schema.ts"

interface Deps {
  db: Database
  storage: StorageQuota
  audit: Audit
  now: () => number
}

/** Users' instructions for all of their chats. Only their owner can read them. */
export const createPersonalInstructions = ({ db, storage, audit, now }: Deps) => {
  const textOf = async (userId: string, reader: Reader = db.read): Promise<string> => {
    const row = await reader
      .selectFrom("personal_instructions")
      .select("text")
      .where("user_id", "=", userId)
      .executeTakeFirst()
    return row?.text ?? ""
  }

  const replace = async (tx: Tx, user_id: string, text: string): Promise<void> => {
    await tx.deleteFrom("personal_instructions").where("user_id", "=", user_id).execute()
    if (text === "") return
    const row = { user_id, text, updated_at: now() }
    await tx.insertInto("personal_instructions").values(row).execute()
  }

  return {
    /** The user's instructions; "" if there are none. */
    textOf: (userId: string): Promise<string> => textOf(userId),

    get: async ({ user }: Caller): Promise<Instructions> => ({
      instructions: await textOf(user.id),
    }),

    /** The audit event does not contain the text. */
    update: async (
      actor: Actor,
      { user }: Caller,
      { instructions }: Instructions,
    ): Promise<Instructions> => {
      const bytes = Buffer.byteLength(instructions) - Buffer.byteLength(await textOf(user.id))
      await storage.writeWithinLimit([{ owner: user.id, bytes }], () =>
        db.transactLocked([`instructions:${user.id}`], async (tx) => {
          await replace(tx, user.id, instructions)
          const target = { type: "user", id: user.id }
          const event = { actor, action: "user.updated", target, changed: ["instructions"] }
          await audit.record(tx, event)
        }),
      )
      return { instructions }
    },
  }
}

export type PersonalInstructions = ReturnType<typeof createPersonalInstructions>
