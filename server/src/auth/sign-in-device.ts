import type { Actor } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"

/** The client of a sign-in. */
export interface SignInDevice {
  actor: Actor
  address: string
  userAgent: string | null
}

export const deviceOf = ({
  context,
  actor,
}: {
  context: RequestContext
  actor: Actor
}): SignInDevice => ({
  actor,
  address: context.address,
  userAgent: context.incoming.headers["user-agent"] ?? null,
})
