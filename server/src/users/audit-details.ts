import type { AuditRecord } from "../audit/audit.ts"
import type { StoredUser } from "./user-rows.ts"

/** Not reported as changes: they follow from other changes. */
const derivedFields = new Set<keyof StoredUser>([
  "updated_ms",
  "deleted_at",
  "hidden",
  "external_id_fixed",
  "fixed_external_id",
])

export const changedFields = (before: StoredUser, after: StoredUser): (keyof StoredUser)[] =>
  (Object.keys(after) as (keyof StoredUser)[]).filter(
    (key) => !derivedFields.has(key) && before[key] !== after[key],
  )

const auditActionOf = (before: StoredUser, after: StoredUser): string => {
  if (before.active && !after.active) return "user.deactivated"
  if (!before.active && after.active) return "user.activated"
  return "user.updated"
}

/** The audit record of a change to an account. */
export const auditRecordOf = (
  before: StoredUser,
  after: StoredUser,
): Omit<AuditRecord, "actor"> => {
  const changed = changedFields(before, after)
  const access = changed.filter((key) => key === "active" || key === "role")
  return {
    action: auditActionOf(before, after),
    target: { type: "user", id: after.id },
    changed: changed.map((key) => (key === "password_hash" ? "password" : key)),
    ...(access.length > 0 && {
      before: Object.fromEntries(access.map((key) => [key, before[key]])),
      after: Object.fromEntries(access.map((key) => [key, after[key]])),
    }),
  }
}
