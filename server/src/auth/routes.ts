import { z } from "zod"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import { IdParams, SuccessStatus, successBody } from "../http/pagination.ts"
import type { RequestContext } from "../http/request-context.ts"
import { json, route } from "../http/route.ts"
import type { Authenticate, Router } from "../http/router.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { User } from "../users/schema.ts"
import type { Users } from "../users/users.ts"
import type { Accounts } from "./accounts.ts"
import { createFindCaller } from "./find-caller.ts"
import { isSameOrigin } from "./same-origin.ts"
import {
  AddUser,
  PasswordChange,
  ProfileChanges,
  Session,
  SignedIn,
  SignIn,
  SignUp,
  WebSession,
  WhoAmI,
} from "./schema.ts"
import { createSessionCookie } from "./session-cookie.ts"
import { deviceOf } from "./sign-in-device.ts"

interface Deps {
  router: Router
  accounts: Accounts
  users: Users
  config: Config
  authenticate: Authenticate
  settings: Pick<SettingsStore, "current">
}

const wrong = { description: "The email address or password is incorrect" }
const slow = { description: "Too many failed attempts; see Retry-After" }

export const authRoutes = (deps: Deps): Router => {
  const { router, accounts, users, config, authenticate, settings } = deps
  const cookie = createSessionCookie(config.PUBLIC_URL)
  const publicOrigin = config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin
  /**
   * Otherwise a page of another website could create accounts, or sign its visitor in to another
   * account.
   */
  const requireSameOrigin = ({ incoming }: RequestContext): void => {
    if (isSameOrigin(incoming.headers, publicOrigin)) return
    fail(
      "forbidden",
      "Pages of other websites cannot sign anyone in or up. " +
        "If this was the gateway's own page, set PUBLIC_URL to its address.",
    )
  }
  /** A page of another site gets no cookie, even with valid credentials. */
  const withCookie = (signedIn: SignedIn, { incoming }: RequestContext): Response => {
    if (!isSameOrigin(incoming.headers, publicOrigin)) return Response.json(signedIn)
    return Response.json(signedIn, { headers: { "set-cookie": cookie.set(signedIn) } })
  }
  const describeCaller = ({ user, credential }: Caller): z.output<typeof WhoAmI> => ({
    ...user,
    expires_at: credential.limits.expires_at,
  })
  const findCaller = createFindCaller(authenticate)

  router.on(
    route("anyone", {
      method: "post",
      path: "/signup",
      summary: "Sign up; the first account becomes the administrator",
      body: SignUp,
      responses: {
        200: json(SignedIn, "Signed in"),
        403: { description: "Sign-up is turned off, or the request came from another website" },
        409: { description: "The email address is already in use" },
        422: { description: "A field or the setup code is invalid" },
        429: slow,
      },
    }),
    async ({ body, ...request }) => {
      requireSameOrigin(request.exchange)
      return withCookie(await accounts.signUp(body, deviceOf(request)), request.exchange)
    },
  )
  router.on(
    route("anyone", {
      method: "post",
      path: "/signin",
      summary: "Sign in with an email address and password",
      body: SignIn,
      responses: {
        200: json(SignedIn, "Signed in"),
        401: wrong,
        403: {
          description: "Password sign-in is turned off, or the request came from another website",
        },
        429: slow,
      },
    }),
    async ({ body, ...request }) => {
      requireSameOrigin(request.exchange)
      return withCookie(await accounts.signIn(body, deviceOf(request)), request.exchange)
    },
  )
  router.on(
    route("signed_in", {
      method: "get",
      path: "/",
      summary: "Get the current user",
      responses: { 200: json(WhoAmI, "The user that the credential belongs to") },
    }),
    ({ caller }) => describeCaller(caller),
  )
  router.on(
    route("anyone", {
      method: "get",
      path: "/session",
      summary: "Get the current user, or null; unlike the route above, never responds with 401",
      responses: { 200: json(WebSession, "The web app's session") },
    }),
    async ({ exchange }): Promise<WebSession> => {
      const caller = await findCaller(exchange)
      if (!caller) return { user: null, banner: null, default_model: "" }
      const { banner: text, banner_kind: kind, default_model } = settings.current()
      return {
        user: describeCaller(caller),
        banner: text === "" ? null : { text, kind },
        default_model,
      }
    },
  )
  router.on(
    route("signed_in", {
      method: "post",
      path: "/signout",
      grantsPrivileges: false,
      summary: "Sign out and revoke this session's token",
      responses: { 200: json(SuccessStatus, "Signed out") },
    }),
    async ({ actor, caller }) => {
      await accounts.signOut(actor, caller)
      return Response.json(successBody, { headers: { "set-cookie": cookie.clear() } })
    },
  )
  router.on(
    route("user", {
      method: "post",
      path: "/update/profile",
      grantsPrivileges: false,
      summary: "Change your name",
      body: ProfileChanges,
      responses: { 200: json(User, "The updated user") },
    }),
    ({ actor, caller, body }) => users.update(actor, caller.user.id, body),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/update/password",
      grantsPrivileges: true,
      summary: "Change your password; ends all sessions and starts a new one",
      body: PasswordChange,
      responses: { 200: json(SignedIn, "The new session"), 429: slow },
    }),
    async ({ caller, body, ...request }) =>
      withCookie(await accounts.changePassword(caller, body, deviceOf(request)), request.exchange),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/add",
      grantsPrivileges: true,
      summary: "Create a user",
      body: AddUser,
      responses: {
        200: json(User, "The new user"),
        409: { description: "The email address is already in use" },
      },
    }),
    ({ actor, caller, body }) =>
      users.create(actor, { ...body, source: "local" }, users.requireAdmin(caller)),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/sessions",
      summary: "List your sessions",
      responses: { 200: json(z.array(Session), "Newest first") },
    }),
    ({ caller }) => accounts.sessions(caller),
  )
  router.on(
    route("user", {
      method: "delete",
      path: "/sessions/:id",
      grantsPrivileges: false,
      summary: "End one of your sessions",
      params: IdParams,
      responses: {
        200: json(SuccessStatus, "Ended"),
        404: { description: "You have no such session" },
      },
    }),
    async ({ actor, caller, params }) => {
      await accounts.endSession(actor, caller, params.id)
      return successBody
    },
  )
  return router
}
