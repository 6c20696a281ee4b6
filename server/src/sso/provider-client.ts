import { setTimeout as sleep } from "node:timers/promises"
import { createRemoteJWKSet, customFetch } from "jose"
import type { Configuration, CustomFetch, ServerMetadata } from "openid-client"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { OidcProvider } from "../config/oidc-config.ts"
import type { SignOnFlow } from "./authorization-flow.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { createClientAuth } from "./client-auth.ts"
import { type LogoutClaims, verifyLogoutToken } from "./logout-token.ts"
import { toSignOnRefusal } from "./openid-errors.ts"
import { readClaim } from "./read-claim.ts"

const timeoutSeconds = 5
const refreshAfterMs = 3_600_000
/**
 * After a failed discovery, retries are delayed by this time; meanwhile the failure is returned.
 */
const retryAfterMs = 2000
/** Timeout during sign-out, which then completes without the provider. */
const signOutTimeoutMs = 2000

export interface ProviderResponse {
  /** The ID token's claims. */
  claims: Record<string, unknown>
  /** Claims from the userinfo endpoint, if the ID token lacked some. */
  userInfo: Record<string, unknown>
  idToken: string
}

/** Values that bind the provider's response to the browser that started the flow. */
type FlowSecrets = Pick<SignOnFlow, "state" | "nonce" | "verifier">

/** Loaded on the first sign-in rather than on startup. */
const loadClient = () => import("openid-client")

/** Required claims that may be in the userinfo response instead of the ID token. */
const requiredClaimNames = ({ link_claim, email_claim, groups_claim }: OidcProvider): string[] =>
  ["email", "email_verified", "name", link_claim, email_claim, groups_claim].filter(
    (name) => name !== null,
  )

interface Deps {
  background: BackgroundTasks
  settings: OidcProvider
  publicUrl: string
}

/** An identity provider; its configuration is discovered on first use and refreshed hourly. */
export const createProviderClient = ({ background, settings, publicUrl }: Deps) => {
  const { name, issuer, client_id } = settings
  const base = `${publicUrl}/api/v1/sso/${name}`
  const redirectUri = `${base}/callback`
  const backchannelLogoutUri = `${base}/backchannel-logout`
  const postLogoutRedirectUri = `${publicUrl}/sign-in`
  const requiredClaims = requiredClaimNames(settings)
  const auth = createClientAuth(settings.client_secret)

  let found: { configuration: Configuration; at: number } | undefined
  let failed: { error: unknown; at: number } | undefined
  let running: Promise<Configuration> | undefined
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined

  const fetcher: CustomFetch = (url, options) => boundedFetch(url, { ...options })

  const fetchConfiguration = async (): Promise<Configuration> => {
    const openid = await loadClient()
    const plain = issuer.startsWith("http:") ? [openid.allowInsecureRequests] : []
    return openid.discovery(new URL(issuer), client_id, undefined, auth.authenticateClient, {
      // Without these, the signature of a token received over TLS is not verified.
      execute: [openid.enableNonRepudiationChecks, ...plain],
      timeout: timeoutSeconds,
      [openid.customFetch]: fetcher,
    })
  }

  const discover = (): Promise<Configuration> => {
    running ??= fetchConfiguration()
      .then(
        (configuration) => {
          found = { configuration, at: performance.now() }
          failed = undefined
          keys = undefined
          return configuration
        },
        (error: unknown) => {
          failed = { error, at: performance.now() }
          throw error
        },
      )
      .finally(() => {
        running = undefined
      })
    return running
  }

  /** @throws {Refusal} such as `provider_unreachable` */
  const getConfiguration = async (): Promise<Configuration> => {
    if (found) {
      const at = performance.now()
      const isOld = at - found.at > refreshAfterMs && !running
      if (isOld && !(failed && at - failed.at < retryAfterMs)) {
        void background.runInBackground("refresh identity providers", discover)
      }
      return found.configuration
    }
    if (failed && performance.now() - failed.at < retryAfterMs) throw toSignOnRefusal(failed.error)
    return discover().catch((error: unknown) => {
      throw toSignOnRefusal(error)
    })
  }

  const keySetOf = ({ jwks_uri }: ServerMetadata): ReturnType<typeof createRemoteJWKSet> => {
    keys ??= createRemoteJWKSet(new URL(jwks_uri ?? issuer), {
      timeoutDuration: timeoutSeconds * 1000,
      [customFetch]: (url, options) => boundedFetch(url, { ...options }),
    })
    return keys
  }

  return {
    settings,
    startUri: `${base}/start`,
    redirectUri,
    postLogoutRedirectUri,
    backchannelLogoutUri,
    discover,

    /** URL to which the browser is redirected to sign in. @throws {Refusal} */
    authorizationUrl: async ({ state, nonce, verifier }: FlowSecrets): Promise<string> => {
      const openid = await loadClient()
      const url = openid.buildAuthorizationUrl(await getConfiguration(), {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(" "),
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      })
      return url.href
    },

    /**
     * Exchanges the authorization code and fully validates the ID token.
     * @param search query string of the callback URL
     * @throws {Refusal}
     */
    exchangeCode: async (search: string, flowSecrets: FlowSecrets): Promise<ProviderResponse> => {
      const configuration = await getConfiguration()
      const openid = await loadClient()
      const url = new URL(redirectUri)
      url.search = search
      try {
        const tokens = await auth.withRetry(() =>
          openid.authorizationCodeGrant(configuration, url, {
            pkceCodeVerifier: flowSecrets.verifier,
            expectedState: flowSecrets.state,
            expectedNonce: flowSecrets.nonce,
            idTokenExpected: true,
          }),
        )
        const claims = tokens.claims()
        const { id_token: idToken, access_token } = tokens
        if (!claims || !idToken) throw new Error("The response contains no ID token")
        if (claims.azp !== undefined && claims.azp !== client_id) {
          throw new Error("The ID token was issued to another client")
        }
        const isMissingClaims = requiredClaims.some(
          (claim) => readClaim(claims, claim) === undefined,
        )
        const needsUserInfo =
          isMissingClaims && configuration.serverMetadata().userinfo_endpoint !== undefined
        const userInfo = needsUserInfo
          ? await openid.fetchUserInfo(configuration, access_token, claims.sub)
          : {}
        return { claims, userInfo, idToken }
      } catch (error) {
        throw toSignOnRefusal(error)
      }
    },

    /**
     * URL to which the browser is redirected to sign out at the provider; null if not available in
     * time.
     */
    endSessionUrl: async (idToken: string | null): Promise<string | null> => {
      const timeout = sleep(signOutTimeoutMs, null, { ref: false })
      const configuration = await Promise.race([getConfiguration().catch(() => null), timeout])
      if (!configuration?.serverMetadata().end_session_endpoint) return null
      const openid = await loadClient()
      return openid.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: postLogoutRedirectUri,
        ...(idToken && { id_token_hint: idToken }),
      }).href
    },

    /**
     * @throws {Refusal} if it is forged, too old or for another client, or cannot be verified now
     */
    verifyLogout: async (token: string): Promise<LogoutClaims> => {
      const metadata = (await getConfiguration()).serverMetadata()
      const expected = { issuer: metadata.issuer, audience: client_id }
      try {
        return await verifyLogoutToken(token, keySetOf(metadata), expected)
      } catch (error) {
        throw toSignOnRefusal(error)
      }
    },

    fetcher,
    withRetry: auth.withRetry,
  }
}

export type SignOnProviderClient = ReturnType<typeof createProviderClient>
