import { z } from "zod"
import { IdParams } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { User } from "../users/schema.ts"
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

const wrong = { description: "The email address or password is incorrect" }
const slow = { description: "Too many failed attempts; see Retry-After" }

export const authRoutes = {
  signUp: route("post", "/api/v1/auths/signup", {
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
  }),
  signIn: route("post", "/api/v1/auths/signin", {
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
  }),
  account: route("get", "/api/v1/auths", {
    access: "signed_in",
    summary: "Get the current user",
    responses: { 200: json(WhoAmI, "The user that the credential belongs to") },
  }),
  session: route("get", "/api/v1/auths/session", {
    access: "anyone",
    summary: "Get the current user, or null; unlike the route above, never responds with 401",
    responses: { 200: json(WebSession, "The web app's session") },
  }),
  signOut: route("post", "/api/v1/auths/signout", {
    access: "signed_in",
    grantsPrivileges: false,
    summary: "Sign out and revoke this session's token",
    responses: { 200: success("Signed out") },
  }),
  updateProfile: route("post", "/api/v1/auths/update/profile", {
    access: "user",
    grantsPrivileges: false,
    summary: "Change your name",
    body: ProfileChanges,
    responses: { 200: json(User, "The updated user") },
  }),
  updatePassword: route("post", "/api/v1/auths/update/password", {
    access: "user",
    grantsPrivileges: true,
    summary: "Change your password; ends all sessions and starts a new one",
    body: PasswordChange,
    responses: { 200: json(SignedIn, "The new session"), 429: slow },
  }),
  addUser: route("post", "/api/v1/auths/add", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a user",
    body: AddUser,
    responses: {
      200: json(User, "The new user"),
      409: { description: "The email address is already in use" },
    },
  }),
  sessions: route("get", "/api/v1/auths/sessions", {
    access: "user",
    summary: "List your sessions",
    responses: { 200: json(z.array(Session), "Newest first") },
  }),
  endSession: route("delete", "/api/v1/auths/sessions/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "End one of your sessions",
    params: IdParams,
    responses: {
      200: success("Ended"),
      404: { description: "You have no such session" },
    },
  }),
}
