import type { Upstream } from "../connections/connection.ts"
import type { Endpoint } from "../connections/connection-registry.ts"
import { fail } from "../errors.ts"
import { hasPermission, type Principal } from "../grants/grants.ts"
import type { Caller } from "../http/caller.ts"
import { failNotFound } from "./failures.ts"
import type { WorkspaceModel } from "./schema.ts"

export const mayUseUpstream = ({ config }: Upstream, principal: Principal): boolean =>
  principal.user.role === "admin" ||
  config.access_grants === null ||
  hasPermission(config.access_grants, principal, "read")

export const visibleEndpoints = (
  endpoints: readonly Endpoint[],
  principal: Principal,
): readonly Endpoint[] => {
  if (principal.user.role === "admin") return endpoints
  return endpoints.every(({ upstream }) => mayUseUpstream(upstream, principal))
    ? endpoints
    : endpoints.filter(({ upstream }) => mayUseUpstream(upstream, principal))
}

type AccessControlled = Pick<WorkspaceModel, "user_id" | "access_grants">

export const mayRead = (model: AccessControlled, principal: Principal): boolean =>
  model.user_id === principal.user.id || hasPermission(model.access_grants, principal, "read")

/** @throws {Failure} `not_found` if the model is missing or not shared with the caller */
export const requireReadable = <M extends AccessControlled>(
  model: M | undefined,
  caller: Caller,
  id: string,
): M => (model && mayRead(model, caller) ? model : failNotFound(id))

export const mayWrite = (model: AccessControlled, principal: Principal): boolean =>
  model.user_id === principal.user.id || hasPermission(model.access_grants, principal, "write")

export const isAllowedByKey = ({ credential }: Caller, id: string): boolean =>
  credential.limits.allowed_models?.includes(id) ?? true

/** @throws {Failure} `forbidden` for a model outside the key's `allowed_models` */
export const requireKeyAccess = (caller: Caller, id: string): void => {
  if (isAllowedByKey(caller, id)) return
  const message = `This API key is not allowed to use the model "${id.slice(0, 200)}".`
  fail("forbidden", message, { param: "model" })
}
