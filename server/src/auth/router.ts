import type { z } from "zod"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import { successBody } from "../http/route.ts"
import type { Authenticate, Router } from "../http/router.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { Users } from "../users/users.ts"
import type { Accounts } from "./accounts.ts"
import { createFindCaller } from "./find-caller.ts"
import { authRoutes } from "./routes.ts"
import { isSameOrigin } from "./same-origin.ts"
import type { SignedIn, WebSession, WhoAmI } from "./schema.ts"
import { createSessionCookie } from "./session-cookie.ts"
import { deviceOf } from "./sign-in-device.ts"

interface Deps {
  router: Router
  accounts: Accounts
  users: Users
  config: Config
  authenticate: Authenticate
  settings: Pick<SettingsStore, "current">
  /** The model of a caller's new chats. */
  defaultModel: { find: (caller: Caller) => string }
}

export const createAuthRouter = (deps: Deps): Router => {
  const { router, accounts, users, config, authenticate, settings, defaultModel } = deps
  const cookie = createSessionCookie(config.PUBLIC_URL)
  /**
   * Otherwise a page of another website could create accounts, or sign its visitor in to another
   * account.
   */
  const requireSameOrigin = ({ incoming }: RequestContext): void => {
    if (isSameOrigin(incoming.headers, config.PUBLIC_URL)) return
    fail(
      "forbidden",
      "Pages of other websites cannot sign anyone in or up. " +
        "If this was the gateway's own page, set PUBLIC_URL to its address.",
    )
  }
  /** A page of another site gets no cookie, even with valid credentials. */
  const withCookie = (signedIn: SignedIn, { incoming }: RequestContext): Response => {
    if (!isSameOrigin(incoming.headers, config.PUBLIC_URL)) return Response.json(signedIn)
    return Response.json(signedIn, { headers: { "set-cookie": cookie.set(signedIn) } })
  }
  const describeCaller = ({ user, credential }: Caller): z.output<typeof WhoAmI> => ({
    ...user,
    expires_at: credential.limits.expires_at,
  })
  const findCaller = createFindCaller(authenticate)

  router.on(authRoutes.signUp, async ({ body, ...request }) => {
    requireSameOrigin(request.context)
    return withCookie(await accounts.signUp(body, deviceOf(request)), request.context)
  })
  router.on(authRoutes.signIn, async ({ body, ...request }) => {
    requireSameOrigin(request.context)
    return withCookie(await accounts.signIn(body, deviceOf(request)), request.context)
  })
  router.on(authRoutes.account, ({ caller }) => describeCaller(caller))
  router.on(authRoutes.session, async ({ context }): Promise<WebSession> => {
    const caller = await findCaller(context)
    if (!caller) return { user: null, banner: null, default_model: "", show_cost: false }
    const { banner: text, banner_kind: kind, show_cost } = settings.current()
    return {
      user: describeCaller(caller),
      banner: text === "" ? null : { text, kind },
      default_model: defaultModel.find(caller),
      show_cost,
    }
  })
  router.on(authRoutes.signOut, async ({ actor, caller }) => {
    await accounts.signOut(actor, caller)
    return Response.json(successBody, { headers: { "set-cookie": cookie.clear() } })
  })
  router.on(authRoutes.updateProfile, ({ actor, caller, body }) =>
    users.update(actor, caller.user.id, body),
  )
  router.on(authRoutes.updatePassword, async ({ caller, body, ...request }) =>
    withCookie(await accounts.changePassword(caller, body, deviceOf(request)), request.context),
  )
  router.on(authRoutes.addUser, ({ actor, caller, body }) =>
    users.create(actor, { ...body, source: "local" }, users.requireAdmin(caller)),
  )
  router.on(authRoutes.sessions, ({ caller }) => accounts.sessions(caller))
  router.on(authRoutes.endSession, ({ actor, caller, params }) =>
    accounts.endSession(actor, caller, params.id),
  )
  return router
}
