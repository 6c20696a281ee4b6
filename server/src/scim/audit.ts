import type { Audit } from "../audit/audit.ts"
import type { Database } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"
import { toFailure } from "../http/errors.ts"

/** What the audit trail says of one request. */
export interface Entry {
  actor: Actor
  action: string
  target?: { type: string; id: string } | undefined
}

/**
 * Puts every request of the identity provider into the audit trail. A change's own event is part
 * of its transaction; reads and failures are written here, before the reply.
 */
export const createTrail = ({ db, audit }: { db: Database; audit: Audit }) => {
  const noteFailure = async <T>(entry: Entry, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // The reply is a refusal already; a trail that cannot be written does not change which.
      const { status } = toFailure(error)
      await audit.recordAlone(db, { ...entry, outcome: "failure", status }).catch(() => {})
      throw error
    }
  }

  return {
    change: noteFailure,
    read: async <T>(entry: Entry, work: () => Promise<T>): Promise<T> => {
      const result = await noteFailure(entry, work)
      await audit.recordAlone(db, { ...entry, outcome: "success", status: 200 })
      return result
    },
  }
}

export type Trail = ReturnType<typeof createTrail>
