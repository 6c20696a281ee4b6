import type { Endpoint } from "../connections/connection-registry.ts"
import { fail } from "../errors.ts"
import { mayUse, type Principal } from "../grants/access.ts"
import type { Caller } from "../http/caller.ts"

/** The endpoints of connections that the principal may use. */
export const filterUsable = (
  endpoints: readonly Endpoint[],
  principal: Principal,
): readonly Endpoint[] =>
  endpoints.every(({ connection }) => mayUse(connection.config, principal))
    ? endpoints
    : endpoints.filter(({ connection }) => mayUse(connection.config, principal))

/** Whether the caller's API key allows a model. */
export const mayUseByKey = ({ credential }: Caller, id: string): boolean =>
  credential.limits.allowed_models?.includes(id) ?? true

/** @throws {Failure} `forbidden` for a model outside the key's `allowed_models` */
export const requireKeyAccess = (caller: Caller, id: string): void => {
  if (mayUseByKey(caller, id)) return
  const message = `This API key is not allowed to use the model "${id.slice(0, 200)}".`
  fail("forbidden", message, { param: "model" })
}
