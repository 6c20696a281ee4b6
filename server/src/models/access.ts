import type { Offer } from "../connections/registry.ts"
import { fail } from "../errors.ts"
import { hasPermission, type Principal } from "../grants/grants.ts"
import type { Caller } from "../http/caller.ts"
import type { WorkspaceModel } from "./schema.ts"

const mayUse = (offer: Offer, principal: Principal): boolean => {
  const { access_grants } = offer.upstream.config
  return access_grants === null || hasPermission(access_grants, principal, "read")
}

export const visible = (offers: readonly Offer[], principal: Principal): readonly Offer[] => {
  if (principal.user.role === "admin") return offers
  return offers.every((offer) => mayUse(offer, principal))
    ? offers
    : offers.filter((offer) => mayUse(offer, principal))
}

type Shared = Pick<WorkspaceModel, "user_id" | "access_grants">

export const mayRead = (model: Shared, principal: Principal): boolean =>
  model.user_id === principal.user.id || hasPermission(model.access_grants, principal, "read")

export const mayWrite = (model: Shared, principal: Principal): boolean =>
  model.user_id === principal.user.id || hasPermission(model.access_grants, principal, "write")

export const keyAllows = ({ credential }: Caller, id: string): boolean =>
  credential.allowed_models === null || credential.allowed_models.includes(id)

/** @throws {Failure} `forbidden` for a model outside the key's `allowed_models` */
export const checkKey = (caller: Caller, id: string): void => {
  if (keyAllows(caller, id)) return
  const message = `This API key is not allowed to use the model "${id.slice(0, 200)}".`
  fail("forbidden", message, { param: "model" })
}
