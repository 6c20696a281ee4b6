import { z } from "zod"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import { IdParams } from "../http/pagination.ts"
import type { RequestContext } from "../http/request-context.ts"
import { json, success, successBody } from "../http/route.ts"
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
  /** The model of a caller's new chats. */
  defaultModel: { find: (caller: Caller) => string }
}

const wrong = { description: "The email address or password is incorrect" }
const slow = { description: "Too many failed attempts; see Retry-After" }

export const authRoutes = (deps: Deps): Router => {
  const { router, accounts, users, config, authenticate, settings, defaultModel } = deps
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

  router.on("post", "/signup", {
    access: "anyone",
    summary: "Sign up; the first account becomes the administrator",
    body: SignUp,
    responses: {
      200: json(SignedIn, "Signed in"),
      403: { description: "Sign-up is turned off, or the request came from another website" },
      409: { description: "The email address is already in use" },
      422: { description: "A field or the setup code is invalid" },
      429: slow,
    },
    handle: async ({ body, ...request }) => {
      requireSameOrigin(request.exchange)
      return withCookie(await accounts.signUp(body, deviceOf(request)), request.exchange)
    },
  })
  router.on("post", "/signin", {
    access: "anyone",
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
    handle: async ({ body, ...request }) => {
      requireSameOrigin(request.exchange)
      return withCookie(await accounts.signIn(body, deviceOf(request)), request.exchange)
    },
  })
  router.on("get", "/", {
    access: "signed_in",
    summary: "Get the current user",
    responses: { 200: json(WhoAmI, "The user that the credential belongs to") },
    handle: ({ caller }) => describeCaller(caller),
  })
  router.on("get", "/session", {
    access: "anyone",
    summary: "Get the current user, or null; unlike the route above, never responds with 401",
    responses: { 200: json(WebSession, "The web app's session") },
    handle: async ({ exchange }): Promise<WebSession> => {
      const caller = await findCaller(exchange)
      if (!caller) return { user: null, banner: null, default_model: "" }
      const { banner: text, banner_kind: kind } = settings.current()
      return {
        user: describeCaller(caller),
        banner: text === "" ? null : { text, kind },
        default_model: defaultModel.find(caller),
      }
    },
  })
  router.on("post", "/signout", {
    access: "signed_in",
    grantsPrivileges: false,
    summary: "Sign out and revoke this session's token",
    responses: { 200: success("Signed out") },
    handle: async ({ actor, caller }) => {
      await accounts.signOut(actor, caller)
      return Response.json(successBody, { headers: { "set-cookie": cookie.clear() } })
    },
  })
  router.on("post", "/update/profile", {
    access: "user",
    grantsPrivileges: false,
    summary: "Change your name",
    body: ProfileChanges,
    responses: { 200: json(User, "The updated user") },
    handle: ({ actor, caller, body }) => users.update(actor, caller.user.id, body),
  })
  router.on("post", "/update/password", {
    access: "user",
    grantsPrivileges: true,
    summary: "Change your password; ends all sessions and starts a new one",
    body: PasswordChange,
    responses: { 200: json(SignedIn, "The new session"), 429: slow },
    handle: async ({ caller, body, ...request }) =>
      withCookie(await accounts.changePassword(caller, body, deviceOf(request)), request.exchange),
  })
  router.on("post", "/add", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a user",
    body: AddUser,
    responses: {
      200: json(User, "The new user"),
      409: { description: "The email address is already in use" },
    },
    handle: ({ actor, caller, body }) =>
      users.create(actor, { ...body, source: "local" }, users.requireAdmin(caller)),
  })
  router.on("get", "/sessions", {
    access: "user",
    summary: "List your sessions",
    responses: { 200: json(z.array(Session), "Newest first") },
    handle: ({ caller }) => accounts.sessions(caller),
  })
  router.on("delete", "/sessions/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "End one of your sessions",
    params: IdParams,
    responses: {
      200: success("Ended"),
      404: { description: "You have no such session" },
    },
    handle: ({ actor, caller, params }) => accounts.endSession(actor, caller, params.id),
  })
  return router
}
