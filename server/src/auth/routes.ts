import { z } from "zod"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import { ById, Done, done } from "../http/pagination.ts"
import type { Exchange, HttpContext } from "../http/request-context.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { User } from "../users/schema.ts"
import type { Users } from "../users/users.ts"
import type { Accounts } from "./accounts.ts"
import { deviceOf } from "./device.ts"
import { fromOwnPage } from "./same-origin.ts"
import {
  AddUser,
  PasswordChange,
  ProfileChanges,
  Session,
  SignedIn,
  SignIn,
  SignUp,
  WhoAmI,
} from "./schema.ts"
import { createSessionCookie } from "./session-cookie.ts"

interface Deps {
  router: Router
  accounts: Accounts
  users: Users
  config: Config
}

const wrong = { description: "The e-mail or the password is wrong" }
const slow = { description: "Too many failed attempts; Retry-After says how long to wait" }

export const authRoutes = ({ router, accounts, users, config }: Deps): Router => {
  const cookie = createSessionCookie(config.PUBLIC_URL)
  const publicOrigin = config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin
  /** A page of another website would create accounts, or sign its visitor in as somebody else. */
  const refuseOtherSites = ({ incoming }: Exchange): void => {
    if (fromOwnPage(incoming.headers, publicOrigin)) return
    fail(
      "forbidden",
      "This request came from a page of another website, which cannot sign anyone in or up. " +
        "If it came from the gateway's own page, set PUBLIC_URL to the address of that page.",
    )
  }
  /** A page of another site that knows a session's token gets no cookie for it. */
  const withCookie = (signedIn: SignedIn, { incoming }: Exchange): Response => {
    if (!fromOwnPage(incoming.headers, publicOrigin)) return Response.json(signedIn)
    return Response.json(signedIn, { headers: { "set-cookie": cookie.set(signedIn) } })
  }
  const whoAmI = (context: HttpContext): z.output<typeof WhoAmI> => {
    const { caller } = context.var.exchange
    if (!caller) return fail("unauthorized", "Sign in first")
    return { ...caller.user, expires_at: caller.credential.expires_at }
  }

  router.on(
    route("anyone", {
      method: "post",
      path: "/signup",
      summary: "Make an account; the first one is the administrator's",
      body: SignUp,
      responses: {
        200: json(SignedIn, "Signed in"),
        403: { description: "Sign-up is off, or a page of another website sent this" },
        409: { description: "The e-mail is in use" },
        422: { description: "A field is wrong, or the setup code of the first account" },
        429: slow,
      },
    }),
    async ({ body, ...request }) => {
      refuseOtherSites(request.exchange)
      return withCookie(await accounts.signUp(body, deviceOf(request)), request.exchange)
    },
  )
  router.on(
    route("anyone", {
      method: "post",
      path: "/signin",
      summary: "Sign in with e-mail and password",
      body: SignIn,
      responses: {
        200: json(SignedIn, "Signed in"),
        401: wrong,
        403: {
          description:
            "Passwords are not taken here; sign in with the provider. Or a page of another website sent this",
        },
        429: slow,
      },
    }),
    async ({ body, ...request }) => {
      refuseOtherSites(request.exchange)
      return withCookie(await accounts.signIn(body, deviceOf(request)), request.exchange)
    },
  )
  router.on(
    route("signed_in", {
      method: "get",
      path: "/",
      summary: "Who am I",
      responses: { 200: json(WhoAmI, "The account behind the credential") },
    }),
    ({ context }) => whoAmI(context),
  )
  router.on(
    route("signed_in", {
      method: "post",
      path: "/signout",
      givesAuthority: false,
      summary: "End this session and its token",
      responses: { 200: json(Done, "Signed out") },
    }),
    async ({ actor, caller }) => {
      await accounts.signOut(actor, caller)
      return Response.json(done, { headers: { "set-cookie": cookie.clear() } })
    },
  )
  router.on(
    route("user", {
      method: "post",
      path: "/update/profile",
      givesAuthority: false,
      summary: "Change one's own name",
      body: ProfileChanges,
      responses: { 200: json(User, "The account as it is now") },
    }),
    ({ actor, caller, body }) => users.update(actor, caller.user.id, body),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/update/password",
      givesAuthority: true,
      summary: "Change one's own password; ends every session and begins a new one",
      body: PasswordChange,
      responses: { 200: json(SignedIn, "Signed in anew"), 429: slow },
    }),
    async ({ caller, body, ...request }) =>
      withCookie(await accounts.changePassword(caller, body, deviceOf(request)), request.exchange),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/add",
      givesAuthority: true,
      summary: "Make an account for somebody",
      body: AddUser,
      responses: {
        200: json(User, "The new account"),
        409: { description: "The e-mail is in use" },
      },
    }),
    ({ actor, caller, body }) =>
      users.create(actor, { ...body, source: "local" }, users.requireAdmin(caller)),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/sessions",
      summary: "One's own sessions",
      responses: { 200: json(z.array(Session), "Newest first") },
    }),
    ({ caller }) => accounts.sessions(caller),
  )
  router.on(
    route("user", {
      method: "delete",
      path: "/sessions/:id",
      givesAuthority: false,
      summary: "End one of one's own sessions",
      params: ById,
      responses: { 200: json(Done, "Ended"), 404: { description: "No such session" } },
    }),
    async ({ actor, caller, params }) => {
      await accounts.endSession(actor, caller, params.id)
      return done
    },
  )
  return router
}
