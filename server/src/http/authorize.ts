import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"
import { isRouteAllowed } from "./allowed-routes.ts"
import { type Caller, isServiceKey } from "./caller.ts"
import type { EscalationCheck } from "./privilege-escalation.ts"
import type { RouteShape } from "./route.ts"

/** Checks that a caller may call a route. @throws {Failure} `forbidden` or `account_pending` */
export const authorize = (
  caller: Caller,
  { shape, path, escalation }: { shape: RouteShape; path: string; escalation: EscalationCheck },
): Caller => {
  const { access, isAliased = false, acceptsServiceKeys = false } = shape
  if (isServiceKey(caller) && !acceptsServiceKeys) {
    fail("forbidden", `This is a service key of a group, which may only call models, not ${path}.`)
  }
  const { allowed_routes: allowed } = caller.credential.limits
  if (allowed && !isRouteAllowed(allowed, { path, isAliased })) {
    fail("forbidden", `This API key is not allowed to call ${path}.`)
  }
  const { role } = caller.user
  if (role === "pending" && access !== "signed_in") {
    fail("account_pending", translatable("account_pending"))
  }
  if (access === "admin" && role !== "admin") {
    fail("forbidden", translatable("administrator_required"))
  }
  escalation.check(caller, shape)
  return caller
}
