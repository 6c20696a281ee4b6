import { fail } from "../errors.ts"
import { type Caller, isLimited } from "./caller.ts"
import type { RouteShape } from "./route.ts"

const refuse = (): never =>
  fail(
    "forbidden",
    "This API key is restricted (expiration, models or routes), so it cannot change accounts, keys, passwords, roles, groups, grants, code or settings. Sign in, or use an unrestricted key.",
  )

/**
 * Prevents privilege escalation by a restricted key; runs before the body is read.
 * @throws {Failure} `forbidden`
 */
export const checkAuthority = ({ credential }: Caller, { method, givesAuthority }: RouteShape) => {
  // Secure by default: a route that does not declare `grantsPrivileges` counts as granting them.
  const gives = method !== "get" && (givesAuthority ?? true) === true
  if (gives && isLimited(credential)) refuse()
}

/** Like `checkEscalation`, for routes where it depends on the body. @throws {Failure} `forbidden` */
export const checkBodyAuthority = (
  caller: Caller | null,
  { givesAuthority }: RouteShape,
  body: unknown,
): void => {
  if (typeof givesAuthority !== "function" || !caller || !isLimited(caller.credential)) return
  if (givesAuthority(body, caller.credential)) refuse()
}
