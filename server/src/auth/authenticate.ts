import { hash } from "node:crypto"
import type { Bus } from "../bus/bus.ts"
import { isOutage } from "../db/connection-errors.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { Exchange } from "../http/request-context.ts"
import { type Carried, carriedCredential } from "./credential-source.ts"
import { fromOwnPage } from "./same-origin.ts"
import type { Tokens } from "./session-tokens.ts"
import type { AuthStore, Holder } from "./store.ts"

const maxEntries = 20_000
/** A cached caller is looked up again after this time, in case a bus message was lost. */
const trustedForMs = 60_000

interface Kept {
  caller: Caller
  /** In ms of `performance.now()`. */
  checkedAt: number
  /**
   * Whether it must be looked up again before use. During a database outage `maybe` is still
   * trusted; `changed`, a deliberate change to this user, is not.
   */
  stale: "no" | "maybe" | "changed"
}

interface Deps {
  store: AuthStore
  tokens: Tokens
  bus: Bus
  now: () => number
  /** Called for each authenticated request, to record the last use. */
  seen: (caller: Caller) => void
  /** Called for each rejected credential. */
  refused: (exchange: Exchange) => void
  /** Origin whose pages may use the cookie, in addition to the request's own host. */
  publicOrigin: string | undefined
}

const unauthorized = (): never =>
  fail(
    "unauthorized",
    "Invalid or missing credentials. Send a valid API key or token: Authorization: Bearer <key>",
  )

const changesSomething = (method: string | undefined): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

/** Resolves credentials to callers, from a cache if possible; the cached path does not await. */
export const createAuthenticate = (deps: Deps) => {
  const { store, tokens, bus, now, seen, refused, publicOrigin } = deps
  const keptByHash = new Map<string, Kept>()

  /** Counts relevant bus messages: a lookup during which it increased is stale on arrival. */
  let heard = 0

  const userChanged = (id: string): void => {
    heard++
    for (const kept of keptByHash.values()) if (kept.caller.user.id === id) kept.stale = "changed"
  }

  const anythingChanged = (): void => {
    heard++
    for (const kept of keptByHash.values()) if (kept.stale === "no") kept.stale = "maybe"
  }

  bus.subscribe((message) => {
    if (message.topic === "user") userChanged(message.id)
    if (message.topic === "groups" || message.topic === "reset") anythingChanged()
  })

  const holderOf = async (secret: string, digest: string): Promise<Holder | undefined> => {
    if (secret.startsWith("sk-")) return store.byKeyHash(digest)
    const claims = await tokens.verify(secret)
    if (!claims) return undefined
    const holder = await store.bySession(claims.session)
    return holder?.user.id === claims.user ? holder : undefined
  }

  const keep = (digest: string, caller: Caller, stale: Kept["stale"]): void => {
    if (keptByHash.size >= maxEntries) {
      const oldest = keptByHash.keys().next()
      if (!oldest.done) keptByHash.delete(oldest.value)
    }
    keptByHash.set(digest, { caller, checkedAt: performance.now(), stale })
  }

  const lookUp = async (secret: string, digest: string): Promise<Caller | null> => {
    const confirmed_at = performance.now()
    const heardBefore = heard
    const holder = await holderOf(secret, digest)
    keptByHash.delete(digest)
    if (!holder) return null
    const caller = { ...holder, confirmed_at }
    keep(digest, caller, heard === heardBefore ? "no" : "changed")
    return caller
  }

  const lookUpOrTrust = async (
    secret: string,
    digest: string,
    kept: Kept,
  ): Promise<Caller | null> => {
    try {
      return await lookUp(secret, digest)
    } catch (error) {
      // During a database outage, callers cached before it remain authenticated.
      if (isOutage(error) && kept.stale !== "changed") return kept.caller
      throw error
    }
  }

  const refreshLater = (secret: string, digest: string, kept: Kept): void => {
    kept.checkedAt = performance.now()
    void lookUp(secret, digest).catch(() => {})
  }

  const accept = (caller: Caller | null, exchange: Exchange, { by }: Carried): Caller => {
    const expires = caller?.credential.expires_at ?? null
    if (!caller || (expires !== null && expires <= now())) {
      refused(exchange)
      return unauthorized()
    }
    const { method, headers } = exchange.incoming
    if (by === "cookie" && changesSomething(method) && !fromOwnPage(headers, publicOrigin)) {
      fail("forbidden", "This request was sent by a page of another website")
    }
    seen(caller)
    return caller
  }

  return (exchange: Exchange): Caller | Promise<Caller> => {
    const carried = carriedCredential(exchange.incoming.headers)
    if (!carried) {
      if (exchange.incoming.headers.authorization !== undefined) refused(exchange)
      return unauthorized()
    }
    const { secret } = carried
    const digest = hash("sha256", secret)
    const kept = keptByHash.get(digest)
    if (!kept) return lookUp(secret, digest).then((caller) => accept(caller, exchange, carried))
    if (kept.stale !== "no") {
      return lookUpOrTrust(secret, digest, kept).then((caller) => accept(caller, exchange, carried))
    }
    if (kept.checkedAt + trustedForMs < performance.now()) refreshLater(secret, digest, kept)
    return accept(kept.caller, exchange, carried)
  }
}
