import { hash } from "node:crypto"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import { isOutage } from "../db/outages.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import { extractCredential, type RequestCredential } from "./credential-source.ts"
import { isSameOrigin } from "./same-origin.ts"
import type { SessionTokens } from "./session-tokens.ts"
import type { AuthStore, CredentialHolder } from "./store.ts"

const maxEntries = 20_000
/** A cached caller is looked up again after this time, in case a bus message was lost. */
const cacheTtlMs = 60_000

interface CachedCaller {
  caller: Caller
  /** In ms of `performance.now()`. */
  checkedAt: number
  /**
   * Whether it must be looked up again before use. During a database outage `maybe` is still
   * trusted; `changed`, a deliberate change to this user, is not.
   */
  staleness: "no" | "maybe" | "changed"
}

export interface AuthenticateDeps {
  background: BackgroundTasks
  store: AuthStore
  tokens: SessionTokens
  bus: Bus
  now: () => number
  /** Called for each authenticated request, to record the last use. */
  onAuthenticated: (caller: Caller) => void
  /** Called for each rejected credential. */
  onRejected: (context: RequestContext) => void
  /** Origin whose pages may use the cookie, in addition to the request's own host. */
  publicOrigin: string | undefined
}

const failUnauthorized = (): never =>
  fail(
    "unauthorized",
    "Invalid or missing credentials. Send a valid API key or token: Authorization: Bearer <key>",
  )

const isUnsafeMethod = (method: string | undefined): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

/** Resolves credentials to callers, from a cache if possible; the cached path does not await. */
export const createAuthenticate = (deps: AuthenticateDeps) => {
  const { background, store, tokens, bus, now, onAuthenticated, onRejected, publicOrigin } = deps
  const cachedByHash = new Map<string, CachedCaller>()

  /** Counts relevant bus messages: a lookup during which it increased is stale on arrival. */
  let changeCount = 0

  const markUserChanged = (id: string): void => {
    changeCount++
    for (const cached of cachedByHash.values())
      if (cached.caller.user.id === id) cached.staleness = "changed"
  }

  const markAllStale = (): void => {
    changeCount++
    for (const cached of cachedByHash.values())
      if (cached.staleness === "no") cached.staleness = "maybe"
  }

  bus.subscribe("mark cached callers as stale", (message) => {
    if (message.topic === "user") markUserChanged(message.id)
    if (message.topic === "groups" || message.topic === "reset") markAllStale()
  })

  const findHolder = async (
    secret: string,
    digest: string,
  ): Promise<CredentialHolder | undefined> => {
    if (secret.startsWith("sk-")) return store.byKeyHash(digest)
    const claims = await tokens.verify(secret)
    if (!claims) return undefined
    const holder = await store.bySession(claims.session)
    return holder?.user.id === claims.user ? holder : undefined
  }

  const cacheCaller = (
    digest: string,
    caller: Caller,
    staleness: CachedCaller["staleness"],
  ): void => {
    if (cachedByHash.size >= maxEntries) {
      const oldest = cachedByHash.keys().next()
      if (!oldest.done) cachedByHash.delete(oldest.value)
    }
    cachedByHash.set(digest, { caller, checkedAt: performance.now(), staleness })
  }

  const lookUpCaller = async (secret: string, digest: string): Promise<Caller | null> => {
    const confirmed_at = performance.now()
    const countBefore = changeCount
    const holder = await findHolder(secret, digest)
    cachedByHash.delete(digest)
    if (!holder) return null
    const caller = { ...holder, confirmed_at }
    cacheCaller(digest, caller, changeCount === countBefore ? "no" : "changed")
    return caller
  }

  const lookUpOrUseCached = async (
    secret: string,
    digest: string,
    cached: CachedCaller,
  ): Promise<Caller | null> => {
    try {
      return await lookUpCaller(secret, digest)
    } catch (error) {
      // During a database outage, callers cached before it remain authenticated.
      if (isOutage(error) && cached.staleness !== "changed") return cached.caller
      throw error
    }
  }

  const refreshInBackground = (secret: string, digest: string, cached: CachedCaller): void => {
    cached.checkedAt = performance.now()
    void background.runInBackground("look up a cached caller again", () =>
      lookUpCaller(secret, digest),
    )
  }

  const acceptCaller = (
    caller: Caller | null,
    context: RequestContext,
    { source }: RequestCredential,
  ): Caller => {
    const expires = caller?.credential.limits.expires_at ?? null
    if (!caller || (expires !== null && expires <= now())) {
      onRejected(context)
      return failUnauthorized()
    }
    const { method, headers } = context.incoming
    if (source === "cookie" && isUnsafeMethod(method) && !isSameOrigin(headers, publicOrigin)) {
      fail("forbidden", "This request was sent by a page of another website.")
    }
    onAuthenticated(caller)
    return caller
  }

  return (context: RequestContext): Caller | Promise<Caller> => {
    const credential = extractCredential(context.incoming.headers)
    if (!credential) {
      if (context.incoming.headers.authorization !== undefined) onRejected(context)
      return failUnauthorized()
    }
    const { secret } = credential
    const digest = hash("sha256", secret)
    const cached = cachedByHash.get(digest)
    if (!cached)
      return lookUpCaller(secret, digest).then((caller) =>
        acceptCaller(caller, context, credential),
      )
    if (cached.staleness !== "no") {
      return lookUpOrUseCached(secret, digest, cached).then((caller) =>
        acceptCaller(caller, context, credential),
      )
    }
    if (cached.checkedAt + cacheTtlMs < performance.now())
      refreshInBackground(secret, digest, cached)
    return acceptCaller(cached.caller, context, credential)
  }
}
