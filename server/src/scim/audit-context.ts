import type { GroupAuditContext } from "../groups/provisioned-groups.ts"
import type { Actor } from "../http/caller.ts"
import type { IgnoredNames } from "./attribute-values.ts"

/** The audit context of a change: actor, action, status, and the attributes that were ignored. */
export const createAuditContext = (
  actor: Actor,
  { action, status }: { action: string; status: number },
  ignored: IgnoredNames,
): GroupAuditContext => ({
  actor,
  action,
  status,
  // A getter: some ignored attributes are only discovered while the change is applied.
  get ignored() {
    return ignored.names()
  },
})
