import { z } from "zod"
import { referenceOf, type TranslatableMessage, translatable } from "../i18n/message.ts"
import { readErrorMember, summarizeError } from "./openid-errors.ts"
import type { SignOnProviderClient } from "./provider-client.ts"
import type { ProviderCheck, ProviderTest } from "./schema.ts"

type Configuration = Awaited<ReturnType<SignOnProviderClient["discover"]>>

const IssuerMismatch = z.object({ cause: z.object({ body: z.object({ issuer: z.string() }) }) })

const describeDiscoveryError = (
  error: unknown,
  { settings }: SignOnProviderClient,
): TranslatableMessage => {
  const { issuer, name } = settings
  const variable = `OIDC_${name.toUpperCase().replaceAll("-", "_")}_ISSUER`
  const other = IssuerMismatch.safeParse(error)
  if (other.success) {
    return translatable("issuer_differs", { issuer: other.data.cause.body.issuer, variable })
  }
  const code = readErrorMember(error, "code")
  if (code === "OAUTH_TIMEOUT") return translatable("endpoint_timeout", { address: issuer })
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || code === "OAUTH_RESPONSE_IS_NOT_JSON") {
    return translatable("issuer_has_no_configuration", { issuer, variable })
  }
  return translatable("issuer_unreachable", { issuer, cause: summarizeError(error) })
}

const toCheck = (
  id: ProviderCheck["id"],
  ok: boolean,
  message: TranslatableMessage,
): ProviderCheck => ({ id, ok, message: message.text, message_reference: referenceOf(message) })

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

const checkKeys = async (
  { fetcher }: SignOnProviderClient,
  configuration: Configuration,
): Promise<ProviderCheck> => {
  const { jwks_uri } = configuration.serverMetadata()
  const id = "keys"
  if (!jwks_uri) return toCheck(id, false, translatable("key_url_missing"))
  try {
    const signal = AbortSignal.timeout(5000)
    const options = { method: "GET", headers: {}, redirect: "manual", signal } as const
    const response = await fetcher(jwks_uri, { ...options, body: undefined })
    const { keys } = KeySet.parse(await response.json())
    if (keys.length === 0)
      return toCheck(id, false, translatable("keys_missing", { address: jwks_uri }))
    return toCheck(id, true, translatable("keys_found", { count: keys.length }))
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? translatable("key_set_invalid") : summarizeError(error)
    return toCheck(id, false, translatable("keys_unreadable", { address: jwks_uri, reason }))
  }
}

const checkEndpoints = (configuration: Configuration): ProviderCheck => {
  const { authorization_endpoint, token_endpoint, end_session_endpoint } =
    configuration.serverMetadata()
  const id = "endpoints"
  if (!authorization_endpoint || !token_endpoint) {
    return toCheck(id, false, translatable("endpoints_missing"))
  }
  const message = end_session_endpoint
    ? translatable("endpoints_available_with_sign_out")
    : translatable("endpoints_available")
  return toCheck(id, true, message)
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
    return toCheck(id, true, translatable("client_registered"))
  } catch (error) {
    const errorCode = readErrorMember(error, "error")
    if (
      readErrorMember(error, "code") === "OAUTH_WWW_AUTHENTICATE_CHALLENGE" ||
      errorCode === undefined
    ) {
      return toCheck(
        id,
        false,
        translatable("client_rejected_because", { cause: summarizeError(error) }),
      )
    }
    if (errorCode === "redirect_uri_mismatch") {
      return toCheck(
        id,
        false,
        translatable("redirect_uri_not_registered", { address: redirectUri }),
      )
    }
    if (errorCode === "invalid_client" || errorCode === "unauthorized_client") {
      return toCheck(id, false, translatable("client_rejected"))
    }
    return toCheck(id, true, translatable("client_registered_as", { client: settings.client_id }))
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
    const message = translatable("issuer_responds", { issuer: provider.settings.issuer })
    const discovery = toCheck("discovery", true, message)
    const keys = await checkKeys(provider, configuration)
    const endpoints = checkEndpoints(configuration)
    const client = endpoints.ok ? [await checkClient(provider, configuration)] : []
    return outcome([discovery, keys, endpoints, ...client])
  } catch (error) {
    return outcome([toCheck("discovery", false, describeDiscoveryError(error, provider))])
  }
}
