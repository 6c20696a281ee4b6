import type { AuditEventRecord } from "./hash-chain.ts"

type Grant = Record<"principal_type" | "principal_id" | "permission", string>
type Details = Record<string, unknown>

/** How an event changed who has access to its target. */
export interface AccessDifference {
  change: "granted" | "revoked" | "changed"
  /** The only account or group concerned; its ID is `*` for everyone. */
  principal?: { type: string; id: string }
}

/** @returns null if access is not restricted, undefined if the details say nothing of access */
const readGrants = (details: string | null): Grant[] | null | undefined => {
  const { access_grants }: Details = JSON.parse(details ?? "{}")
  return Array.isArray(access_grants) || access_grants === null ? access_grants : undefined
}

const principalKey = ({ principal_type, principal_id }: Grant): string =>
  `${principal_type} ${principal_id}`

const grantKey = (grant: Grant): string => `${principalKey(grant)} ${grant.permission}`

/** The grants of `list` that `other` does not contain. */
const grantsMissingIn = (other: readonly Grant[], list: readonly Grant[]): Grant[] => {
  const keys = new Set(other.map(grantKey))
  return list.filter((grant) => !keys.has(grantKey(grant)))
}

/** @returns undefined if the event did not change access */
export const compareAccess = ({
  before,
  after,
}: Pick<AuditEventRecord, "before" | "after">): AccessDifference | undefined => {
  const [earlier, later] = [readGrants(before), readGrants(after)]
  if (earlier === undefined || later === undefined) return undefined
  if (!earlier || !later) return earlier === later ? undefined : { change: "changed" }
  const differing = [...grantsMissingIn(earlier, later), ...grantsMissingIn(later, earlier)]
  const [grant, ...others] = differing
  if (!grant) return undefined
  const isSamePrincipal = (one: Grant): boolean => principalKey(one) === principalKey(grant)
  const [had, has] = [earlier.some(isSamePrincipal), later.some(isSamePrincipal)]
  if (had === has || !others.every(isSamePrincipal)) return { change: "changed" }
  const principal = { type: grant.principal_type, id: grant.principal_id }
  return { change: has ? "granted" : "revoked", principal }
}
