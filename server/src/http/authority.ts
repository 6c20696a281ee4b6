import { fail } from "../errors.ts"
import { type Caller, isLimited } from "./caller.ts"
import type { RouteShape } from "./route.ts"

const refuse = (): never =>
  fail(
    "forbidden",
    "This API key is limited in time, models or routes, and may not give authority beyond its own (accounts, keys, passwords, roles, groups, grants, code, settings): sign in, or use a key without limits",
  )

/** Before the body is read. @throws {Failure} `forbidden` to a limited key where authority is given */
export const checkAuthority = ({ credential }: Caller, { method, givesAuthority }: RouteShape) => {
  // What does not say so counts as giving it.
  const gives = method !== "get" && (givesAuthority ?? true) === true
  if (gives && isLimited(credential)) refuse()
}

/** The same where the body decides. @throws {Failure} `forbidden` */
export const checkBodyAuthority = (
  caller: Caller | null,
  { givesAuthority }: RouteShape,
  body: unknown,
): void => {
  if (typeof givesAuthority !== "function" || !caller || !isLimited(caller.credential)) return
  if (givesAuthority(body, caller.credential)) refuse()
}
