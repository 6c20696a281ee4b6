import type { ConnectionConfig } from "./schema.ts"

/** The audited fields of a connection: whether it is used, and by whom. */
export const auditState = ({ enabled, access_grants }: ConnectionConfig) => ({
  enabled,
  access_grants,
})
