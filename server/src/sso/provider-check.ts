import { z } from "zod"
import { describeCause, readMember } from "./client-errors.ts"
import type { SignOnProviderClient } from "./provider.ts"
import type { ProviderCheck, ProviderTest } from "./schema.ts"

type Configuration = Awaited<ReturnType<SignOnProviderClient["discover"]>>

const IssuerMismatch = z.object({ cause: z.object({ body: z.object({ issuer: z.string() }) }) })

const describeDiscoveryError = (error: unknown, { settings }: SignOnProviderClient): string => {
  const { issuer, name } = settings
  const variable = `OIDC_${name.toUpperCase().replaceAll("-", "_")}_ISSUER`
  const other = IssuerMismatch.safeParse(error)
  if (other.success) {
    return `The provider's issuer is ${other.data.cause.body.issuer}. Set ${variable} to exactly that.`
  }
  const code = readMember(error, "code")
  if (code === "OAUTH_TIMEOUT") return `${issuer} did not respond in time.`
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || code === "OAUTH_RESPONSE_IS_NOT_JSON") {
    return `${issuer} responds, but has no OpenID configuration. Check ${variable}.`
  }
  return `Can't reach ${issuer} (${describeCause(error)}).`
}

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

const checkKeys = async (
  { fetcher }: SignOnProviderClient,
  configuration: Configuration,
): Promise<ProviderCheck> => {
  const { jwks_uri } = configuration.serverMetadata()
  const id = "keys"
  if (!jwks_uri)
    return { id, ok: false, message: "The provider's configuration has no key URL (jwks_uri)." }
  try {
    const signal = AbortSignal.timeout(5000)
    const options = { method: "GET", headers: {}, redirect: "manual", signal } as const
    const response = await fetcher(jwks_uri, { ...options, body: undefined })
    const { keys } = KeySet.parse(await response.json())
    if (keys.length === 0) return { id, ok: false, message: `No keys found at ${jwks_uri}.` }
    return { id, ok: true, message: `Signing keys found: ${keys.length}.` }
  } catch (error) {
    const reason = error instanceof z.ZodError ? "not a valid key set" : describeCause(error)
    return { id, ok: false, message: `Can't read the provider's keys at ${jwks_uri} (${reason}).` }
  }
}

const checkEndpoints = (configuration: Configuration): ProviderCheck => {
  const { authorization_endpoint, token_endpoint, end_session_endpoint } =
    configuration.serverMetadata()
  const id = "endpoints"
  if (!authorization_endpoint || !token_endpoint) {
    return {
      id,
      ok: false,
      message: "The provider's configuration has no authorization or token endpoint.",
    }
  }
  const message = end_session_endpoint
    ? "All required endpoints are available. Signing out of Portico also signs out at the provider."
    : "All required endpoints are available. Signing out of Portico does not sign out at the provider."
  return { id, ok: true, message }
}

/**
 * Sends an invalid authorization code: if the provider rejects the code rather than the client, the
 * client is registered.
 */
const checkClient = async (
  { redirectUri, settings, withRetry }: SignOnProviderClient,
  configuration: Configuration,
): Promise<ProviderCheck> => {
  const openid = await import("openid-client")
  const id = "client"
  try {
    const parameters = {
      code: "a-test-of-the-client",
      redirect_uri: redirectUri,
      code_verifier: openid.randomPKCECodeVerifier(),
    }
    await withRetry(() =>
      openid.genericGrantRequest(configuration, "authorization_code", parameters),
    )
    return { id, ok: true, message: "The client is registered." }
  } catch (error) {
    const errorCode = readMember(error, "error")
    if (
      readMember(error, "code") === "OAUTH_WWW_AUTHENTICATE_CHALLENGE" ||
      errorCode === undefined
    ) {
      return {
        id,
        ok: false,
        message: `The provider rejected the client ID or secret (${describeCause(error)}).`,
      }
    }
    if (errorCode === "redirect_uri_mismatch") {
      return {
        id,
        ok: false,
        message: `The redirect URI ${redirectUri} is not registered at the provider.`,
      }
    }
    if (errorCode === "invalid_client" || errorCode === "unauthorized_client") {
      return {
        id,
        ok: false,
        message: "The provider rejected the client ID or secret. Check both at the provider.",
      }
    }
    return { id, ok: true, message: `The client ${settings.client_id} is registered.` }
  }
}

/** Tests the provider without using cached data and reports each check. */
export const testProvider = async (provider: SignOnProviderClient): Promise<ProviderTest> => {
  const startedAt = performance.now()
  const outcome = (checks: ProviderCheck[]): ProviderTest => ({
    ok: checks.every(({ ok }) => ok),
    checks,
    duration_ms: Math.round(performance.now() - startedAt),
  })
  try {
    const configuration = await provider.discover()
    const message = `${provider.settings.issuer} responds.`
    const discovery: ProviderCheck = { id: "discovery", ok: true, message }
    const keys = await checkKeys(provider, configuration)
    const endpoints = checkEndpoints(configuration)
    const client = endpoints.ok ? [await checkClient(provider, configuration)] : []
    return outcome([discovery, keys, endpoints, ...client])
  } catch (error) {
    return outcome([
      { id: "discovery", ok: false, message: describeDiscoveryError(error, provider) },
    ])
  }
}
