import { once } from "node:events"
import { createServer } from "node:http"
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose"
import Provider, { type Configuration } from "oidc-provider"
import { findFreePort } from "./ports.ts"

type Claims = Record<string, unknown>

/** A real identity provider (oidc-provider), including its sign-in and sign-out pages. */
export interface IdentityProvider {
  url: string
  clientId: string
  clientSecret: string
  /** Claims by user name. */
  claimsByUser: Map<string, Claims>
  /** Rewrites ID tokens on their way to the gateway, as an attacker in the middle would. */
  rewriteIdToken: ((idToken: string) => string | Promise<string>) | undefined
  /** Applies changed claims to the token and signs it with the provider's key. */
  signWithClaims(idToken: string, changes: Claims): Promise<string>
  close(): Promise<void>
}

export const startIdentityProvider = async (gatewayUrl: string): Promise<IdentityProvider> => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  const kid = "the-key"
  const key = { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" }
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const [clientId, clientSecret] = ["portico", "a-secret-of-the-client"]
  const claimsByUser = new Map<string, Claims>()
  const redirectBase = `${gatewayUrl}/api/v1/sso/okta`

  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${redirectBase}/callback`],
        post_logout_redirect_uris: [`${gatewayUrl}/sign-in`],
        backchannel_logout_uri: `${redirectBase}/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["a key for cookies"] },
    claims: {
      openid: ["sub", "oid"],
      email: ["email", "email_verified"],
      profile: ["name", "given_name", "family_name"],
    },
    features: { backchannelLogout: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...claimsByUser.get(id) }),
    }),
    // The library's default `fetch` refuses loopback addresses.
    fetch: (target, options = {}) => {
      const plain = Object.entries(options).filter(([name]) => name !== "dispatcher")
      return fetch(target, Object.fromEntries(plain))
    },
  }
  const oidc = new Provider(url, configuration)

  const provider: IdentityProvider = {
    url,
    clientId,
    clientSecret,
    claimsByUser,
    rewriteIdToken: undefined,
    signWithClaims: (idToken, changes) =>
      new SignJWT({ ...decodeJwt(idToken), ...changes })
        .setProtectedHeader({ alg: "RS256", kid })
        .sign(privateKey),
    close: async () => {
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    },
  }

  oidc.use(async (context, next) => {
    await next()
    const { body } = context
    if (!provider.rewriteIdToken || context.path !== "/token" || typeof body !== "object") return
    if (body === null || !("id_token" in body)) return
    context.body = { ...body, id_token: await provider.rewriteIdToken(String(body.id_token)) }
  })

  const server = createServer(oidc.callback())
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return provider
}
