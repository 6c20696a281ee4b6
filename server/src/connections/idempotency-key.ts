import { hash } from "node:crypto"
import type { Caller } from "../http/caller.ts"

export const idempotencyHeader = "idempotency-key"

/**
 * A user's idempotency key as providers receive it. All users share the gateway's key there: a
 * provider that replays responses by idempotency key must not give one user another's response.
 */
export const scopeIdempotencyKey = ({ user }: Pick<Caller, "user">, key: string): string =>
  hash("sha256", `${user.id} ${key}`)
