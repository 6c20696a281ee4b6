import { ScimError } from "@portico/scim"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database } from "../db/database.ts"
import { Failure } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { toFailure } from "../http/failure-response.ts"

/** The audit event of one request. */
export interface ScimAuditEntry {
  actor: Actor
  action: string
  target?: { type: string; id: string } | undefined
}

/** Converts errors of the SCIM package. Every SCIM request passes here, so nothing else does. */
const convertScimError = (error: unknown): unknown =>
  error instanceof ScimError
    ? new Failure("bad_request", error.message, { scimType: error.scimType })
    : error

export interface ScimAuditDeps {
  background: BackgroundTasks
  db: Database
  audit: Audit
}

/**
 * Audits every request of the identity provider. Successful changes write their event in their own
 * transaction; reads and failures are written here, before the response.
 */
export const createScimAudit = ({ background, db, audit }: ScimAuditDeps) => {
  const auditFailure = async <T>(entry: ScimAuditEntry, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (thrown) {
      const error = convertScimError(thrown)
      // A failure to write the audit event must not replace the original error.
      const { status } = toFailure(error)
      await background.runInBackground("record a failed attempt", () =>
        audit.recordDurably(db, { ...entry, outcome: "failure", status }),
      )
      throw error
    }
  }

  return {
    auditChange: auditFailure,
    auditRead: async <T>(entry: ScimAuditEntry, work: () => Promise<T>): Promise<T> => {
      const result = await auditFailure(entry, work)
      await audit.recordDurably(db, { ...entry, outcome: "success", status: 200 })
      return result
    },
  }
}

export type ScimAudit = ReturnType<typeof createScimAudit>
