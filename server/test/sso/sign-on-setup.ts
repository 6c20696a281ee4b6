import { startFakeIssuer } from "../fakes/oidc-issuer.ts"
import type { TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { providerEnv } from "./provider-env.ts"

/** Starts a gateway with a known address, which single sign-on requires. */
export const startSignOnGateway = async (env: Record<string, string>): Promise<TestGateway> => {
  const port = await findFreePort()
  return startGateway({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, ...env })
}

/** A minimal browser: it keeps cookies and follows redirects one at a time. */
export const createBrowser = () => {
  const cookies = new Map<string, string>()

  const storeCookies = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0\b/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  const visit = async (url: string, method = "GET"): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { ...(cookie && { cookie }) }
    const response = await fetch(url, { method, redirect: "manual", headers })
    storeCookies(response)
    return response
  }

  const locationOf = (response: Response): string => response.headers.get("location") ?? ""

  return {
    cookies,
    visit,
    locationOf,

    /** The callback URL that the provider redirects to, including the code. */
    visitUntilCallback: async (
      gateway: TestGateway,
      provider = "okta",
      back = "/",
    ): Promise<string> => {
      const path = `/api/v1/sso/${provider}/start?back=${encodeURIComponent(back)}`
      const started = await visit(gateway.url + path)
      const location = locationOf(started)
      return location.startsWith("http") ? locationOf(await visit(location)) : location
    },
  }
}

export type Browser = ReturnType<typeof createBrowser>

/** Signs in from the start. @returns the gateway's last redirect */
export const completeSignOn = async (
  gateway: TestGateway,
  { browser = createBrowser(), provider = "okta", back = "/" } = {},
): Promise<{ location: string; token: string | undefined; browser: Browser }> => {
  const callback = await browser.visitUntilCallback(gateway, provider, back)
  if (!callback.startsWith("http")) return { location: callback, token: undefined, browser }
  const location = browser.locationOf(await browser.visit(callback))
  return { location, token: browser.cookies.get("token"), browser }
}

/** The problem shown by the sign-in error page; undefined for any other page. */
export const problemInUrl = (location: string): string | undefined => {
  const url = new URL(location, "http://here")
  return url.pathname === "/sign-in/problem" ? (url.searchParams.get("problem") ?? "") : undefined
}

const scimToken = "the-identity-providers-own-token"

/** A gateway with SCIM and a fake identity provider, and helpers for both. */
export const startSignOnSetup = async (
  database: TestDatabase,
  env: Record<string, string> = {},
) => {
  const issuer = await startFakeIssuer()
  const gateway = await startSignOnGateway({
    ...database.env,
    ...providerEnv(issuer, { LINK_CLAIM: "oid", GROUPS_CLAIM: "groups", PROVISION: "true" }),
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
    ...env,
  })
  let people = 0
  return {
    issuer,
    gateway,

    /** Makes a person without an account the next one to sign in. */
    newPerson: (claims: Record<string, unknown> = {}) => {
      const number = people++
      const person = { sub: `subject-${number}`, email: `person-${number}@example.com` }
      const rest = { email_verified: true, name: `Person ${number}`, ...claims }
      issuer.user = { ...person, ...rest }
      return { ...person, ...rest }
    },

    /** Restores the issuer's normal behavior. */
    resetIssuer: (): void => {
      issuer.rewriteClaims = (claims) => claims
      issuer.signing = "right"
      issuer.authorizationError = undefined
      issuer.tokenResponse = undefined
      issuer.userinfo = undefined
    },

    fetchAccount: async (token: string | undefined) =>
      (await gateway.call("GET", "/api/v1/auths/", undefined, { key: token ?? "none" })).body,

    callScim: (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken }),

    readAuditEvents: () =>
      gateway.gateway.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute(),

    countAccounts: async (): Promise<number> =>
      (await gateway.call("GET", "/api/v1/users/?page_size=1")).body.total,

    close: async (): Promise<void> => {
      await gateway.stop()
      await issuer.close()
    },
  }
}

export type SignOnSetup = Awaited<ReturnType<typeof startSignOnSetup>>
