import { fail } from "../errors.ts"
import { type AuthenticatedCredential, type Caller, isRestrictedKey, keyIdOf } from "./caller.ts"
import type { RouteShape } from "./route.ts"

const rejectRestrictedKey = (): never =>
  fail(
    "forbidden",
    "This API key is restricted (expiration, models, routes or limits), so it cannot change accounts, keys, passwords, roles, groups, grants, limits, code or settings. Sign in, or use an unrestricted key.",
  )

interface Deps {
  /** Whether there are limits on what is used with a key, which one that it created would not have. */
  isLimitedKey: (keyId: string) => boolean
}

/** Prevents privilege escalation by restricted keys. */
export interface EscalationCheck {
  /** Runs before the body is read. @throws {Failure} `forbidden` */
  check(caller: Caller, shape: RouteShape): void
  /** Like `check`, for routes where the body decides. @throws {Failure} `forbidden` */
  checkBody(caller: Caller | null, shape: RouteShape, body: unknown): void
}

export const createEscalationCheck = ({ isLimitedKey }: Deps): EscalationCheck => {
  const isRestricted = (credential: AuthenticatedCredential): boolean => {
    const keyId = keyIdOf({ credential })
    return isRestrictedKey(credential) || (keyId !== null && isLimitedKey(keyId))
  }

  return {
    check: ({ credential }, { method, grantsPrivileges }) => {
      // Secure by default: a route that does not declare `grantsPrivileges` counts as granting them.
      const gives = method !== "get" && (grantsPrivileges ?? true) === true
      if (gives && isRestricted(credential)) rejectRestrictedKey()
    },

    checkBody: (caller, { grantsPrivileges }, body) => {
      if (typeof grantsPrivileges !== "function" || !caller || !isRestricted(caller.credential))
        return
      if (grantsPrivileges(body, caller.credential)) rejectRestrictedKey()
    },
  }
}
