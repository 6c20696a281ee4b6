import { createHash, randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose"
import { portOf } from "../harness/ports.ts"

type Claims = Record<string, unknown>

/** How tokens are signed; only "right" is valid. */
type TokenSigning = "right" | "other key" | "unknown key" | "client secret" | "none"

interface PendingAuthorization {
  nonce: string
  challenge: string
  redirectUri: string
  claims: Claims
}

/** An identity provider that misbehaves on demand, in ways that a real one does not. */
export interface FakeIssuer {
  url: string
  clientId: string
  clientSecret: string
  /** The user that signs in next, as claims of the ID token. */
  user: Claims
  /** Claims of the userinfo endpoint; if undefined, there is no such endpoint. */
  userinfo: Claims | undefined
  /** Rewrites the ID token's claims before they are signed. */
  rewriteClaims: (claims: Claims) => Claims
  signing: TokenSigning
  /** Redirects from the authorization endpoint with this error instead of a code. */
  authorizationError: { error: string } | undefined
  /** Replaces the token endpoint's response, if defined. */
  tokenResponse: { status: number; body: string } | undefined
  /** Paths and queries of the requests received. */
  requestedUrls: string[]
  /** A logout token with these claims, such as `sub` or `sid`; they override the defaults. */
  logoutToken(claims: Claims, options?: { typ?: string; signing?: TokenSigning }): Promise<string>
  /** Stops listening, until `resume` listens again on the same port. */
  pause(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

const readForm = async (incoming: IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of incoming) text += chunk
  return new URLSearchParams(text)
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

export const startFakeIssuer = async (): Promise<FakeIssuer> => {
  const kid = "key-1"
  const [issuerKeys, otherKeys] = await Promise.all([
    generateKeyPair("RS256"),
    generateKeyPair("RS256"),
  ])
  const jwk = { ...(await exportJWK(issuerKeys.publicKey)), kid, alg: "RS256", use: "sig" }
  const pendingByCode = new Map<string, PendingAuthorization>()

  const sign = (claims: Claims, signing: TokenSigning, typ?: string): Promise<string> | string => {
    if (signing === "none") return new UnsecuredJWT(claims).encode()
    if (signing === "client secret") {
      const key = new TextEncoder().encode(fake.clientSecret)
      return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(key)
    }
    const header = { alg: "RS256", kid: signing === "unknown key" ? "key-2" : kid }
    const key = signing === "right" ? issuerKeys.privateKey : otherKeys.privateKey
    return new SignJWT(claims).setProtectedHeader({ ...header, ...(typ && { typ }) }).sign(key)
  }

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const redirectUri = query.get("redirect_uri") ?? ""
    const redirect = new URL(redirectUri)
    redirect.searchParams.set("state", query.get("state") ?? "")
    const code = randomUUID()
    if (fake.authorizationError) redirect.searchParams.set("error", fake.authorizationError.error)
    else redirect.searchParams.set("code", code)
    pendingByCode.set(code, {
      nonce: query.get("nonce") ?? "",
      challenge: query.get("code_challenge") ?? "",
      redirectUri,
      claims: fake.user,
    })
    response.writeHead(302, { location: redirect.href }).end()
  }

  const isClientAuthorized = (header: string | undefined): boolean => {
    const expected = Buffer.from(`${fake.clientId}:${fake.clientSecret}`).toString("base64")
    return header === `Basic ${expected}`
  }

  const token = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = await readForm(incoming)
    if (fake.tokenResponse) {
      response.writeHead(fake.tokenResponse.status, { "content-type": "application/json" })
      return void response.end(fake.tokenResponse.body)
    }
    if (!isClientAuthorized(incoming.headers.authorization)) {
      return sendJson(response, 401, { error: "invalid_client" })
    }
    const code = form.get("code") ?? ""
    const pending = pendingByCode.get(code)
    pendingByCode.delete(code)
    const digest = createHash("sha256").update(form.get("code_verifier") ?? "")
    const isVerified = digest.digest("base64url") === pending?.challenge
    if (!pending || !isVerified || form.get("redirect_uri") !== pending.redirectUri) {
      return sendJson(response, 400, { error: "invalid_grant" })
    }
    const at = nowInSeconds()
    const claims = {
      iss: fake.url,
      aud: fake.clientId,
      iat: at,
      exp: at + 300,
      nonce: pending.nonce,
      ...pending.claims,
    }
    const id_token = await sign(fake.rewriteClaims(claims), fake.signing)
    sendJson(response, 200, {
      access_token: "access",
      token_type: "Bearer",
      expires_in: 300,
      id_token,
    })
  }

  const metadata = () => ({
    issuer: fake.url,
    authorization_endpoint: `${fake.url}/authorize`,
    token_endpoint: `${fake.url}/token`,
    jwks_uri: `${fake.url}/keys`,
    end_session_endpoint: `${fake.url}/end`,
    ...(fake.userinfo && { userinfo_endpoint: `${fake.url}/me` }),
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
  })

  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(incoming.url ?? "/", fake.url)
    fake.requestedUrls.push(url.pathname + url.search)
    const handlers: Record<string, () => unknown> = {
      "/.well-known/openid-configuration": () => sendJson(response, 200, metadata()),
      "/keys": () => sendJson(response, 200, { keys: [jwk] }),
      "/authorize": () => authorize(url.searchParams, response),
      "/token": () => token(incoming, response),
      "/me": () => sendJson(response, 200, { sub: fake.user.sub, ...fake.userinfo }),
    }
    const handler = handlers[url.pathname]
    if (handler) void handler()
    else sendJson(response, 404, {})
  }

  const server = createServer(serve)
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
  }
  const stop = async (): Promise<void> => {
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const port = portOf(server)

  const fake: FakeIssuer = {
    url: `http://127.0.0.1:${port}`,
    clientId: "portico",
    clientSecret: "a-secret-of-the-client",
    user: { sub: "nobody" },
    userinfo: undefined,
    rewriteClaims: (claims) => claims,
    signing: "right",
    authorizationError: undefined,
    tokenResponse: undefined,
    requestedUrls: [],
    logoutToken: async (claims, { typ = "logout+jwt", signing = "right" } = {}) => {
      const defaults = {
        iss: fake.url,
        aud: fake.clientId,
        iat: nowInSeconds(),
        exp: nowInSeconds() + 120,
        jti: randomUUID(),
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
      }
      return sign({ ...defaults, ...claims }, signing, typ)
    },
    pause: stop,
    resume: () => listen(port),
    close: async () => {
      if (server.listening) await stop()
    },
  }
  return fake
}
