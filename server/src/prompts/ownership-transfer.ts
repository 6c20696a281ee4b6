import type { Database, Reader, Tx } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import { requireReadable } from "../grants/access.ts"
import type { Grants } from "../grants/grants.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { TransferableObjects, Transfers } from "../ownership/transfer.ts"
import { accessMessages } from "./failures.ts"
import type { Prompt } from "./schema.ts"
import { createPromptStore, promptBytes } from "./store.ts"

const maxCommandLength = 50

interface Deps {
  db: Database
  grants: Grants
  rowLimits: RowLimits
  transfers: Transfers
  now: () => number
}

/** Hands prompts over to another owner. */
export const createPromptOwnershipTransfer = (deps: Deps) => {
  const { db, grants, rowLimits, transfers, now } = deps
  const store = createPromptStore(deps)

  const isCommandTaken = async (tx: Tx, owner: string, command: string): Promise<boolean> => {
    const query = tx.selectFrom("prompts").select("id").where("user_id", "=", owner)
    return (await query.where("command", "=", command).executeTakeFirst()) !== undefined
  }

  /** The command, with a number appended if the new owner has another prompt with it. */
  const findFreeCommand = async (tx: Tx, owner: string, command: string): Promise<string> => {
    for (let number = 2, free = command; ; number++) {
      if (!(await isCommandTaken(tx, owner, free))) return free
      const suffix = `-${number}`
      free = command.slice(0, maxCommandLength - suffix.length) + suffix
    }
  }

  const changeOwner = async (
    tx: Tx,
    { id, command }: Pick<Prompt, "id" | "command">,
    user_id: string,
  ): Promise<void> => {
    const set = { user_id, command: await findFreeCommand(tx, user_id, command), updated_at: now() }
    await tx.updateTable("prompts").set(set).where("id", "=", id).execute()
  }

  const all: TransferableObjects = {
    type: "prompt",
    bytes: async (reader: Reader, ownerId) => {
      const query = reader.selectFrom("prompts").select(["title", "content"])
      const rows = await query.where("user_id", "=", ownerId).execute()
      return rows.reduce((total, row) => total + promptBytes(row), 0)
    },
    transferAll: async (tx, { from, to, groupId }) => {
      const query = tx.selectFrom("prompts").select(["id", "command"])
      const rows = await query.where("user_id", "=", from.id).orderBy("id").execute()
      const limited = { owner: to.id, added: rows.length, isNewOwner: true }
      if (rows.length > 0) await rowLimits.lockAndCheck(tx, "prompts", limited)
      for (const row of rows) await changeOwner(tx, row, to.id)
      const ids = rows.map(({ id }) => id)
      if (groupId !== null) await grants.addForGroup(tx, { type: "prompt", ids, groupId })
      return ids
    },
  }

  return {
    all,
    transfer: (
      actor: Actor,
      caller: Caller,
      { id, transfer_to }: { id: string; transfer_to: string },
    ): Promise<void> =>
      transfers.transferObject<Prompt>({
        ...{ actor, caller, transferTo: transfer_to, target: { type: "prompt", id } },
        read: async (reader, tx) =>
          requireReadable(await store.byId(id, tx), reader, accessMessages),
        bytes: async (prompt) => promptBytes(prompt),
        lock: (tx) => db.acquireLock(tx, `prompt:${id}`),
        write: async (tx, prompt, to) => {
          await rowLimits.lockAndCheck(tx, "prompts", { owner: to.id, isNewOwner: true })
          await changeOwner(tx, prompt, to.id)
        },
      }),
  }
}

export type PromptOwnershipTransfer = ReturnType<typeof createPromptOwnershipTransfer>
