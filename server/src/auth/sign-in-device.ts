import type { Actor } from "../http/caller.ts"
import type { Access, RawRequest } from "../http/route.ts"

/** The client of a sign-in. */
export interface SignInDevice {
  actor: Actor
  address: string
  userAgent: string | null
}

export const deviceOf = ({
  context,
  actor,
}: Pick<RawRequest<Access, unknown>, "context" | "actor">): SignInDevice => ({
  actor,
  address: context.address,
  userAgent: context.incoming.headers["user-agent"] ?? null,
})
