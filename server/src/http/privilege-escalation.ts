import { fail } from "../errors.ts"
import { type Caller, isRestrictedKey } from "./caller.ts"
import type { RouteShape } from "./route.ts"

const rejectRestrictedKey = (): never =>
  fail(
    "forbidden",
    "This API key is restricted (expiration, models or routes), so it cannot change accounts, keys, passwords, roles, groups, grants, code or settings. Sign in, or use an unrestricted key.",
  )

/**
 * Prevents privilege escalation by a restricted key; runs before the body is read.
 * @throws {Failure} `forbidden`
 */
export const checkKeyEscalation = (
  { credential }: Caller,
  { method, grantsPrivileges }: RouteShape,
) => {
  // Secure by default: a route that does not declare `grantsPrivileges` counts as granting them.
  const gives = method !== "get" && (grantsPrivileges ?? true) === true
  if (gives && isRestrictedKey(credential)) rejectRestrictedKey()
}

/** Like `checkKeyEscalation`, for routes where the body decides. @throws {Failure} `forbidden` */
export const checkKeyEscalationByBody = (
  caller: Caller | null,
  { grantsPrivileges }: RouteShape,
  body: unknown,
): void => {
  if (typeof grantsPrivileges !== "function" || !caller || !isRestrictedKey(caller.credential))
    return
  if (grantsPrivileges(body, caller.credential)) rejectRestrictedKey()
}
