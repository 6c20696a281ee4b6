import type { ClientAuth } from "openid-client"
import { toSignOnRefusal } from "./openid-errors.ts"

/**
 * Form encoding (RFC 6749 §2.3.1), kept minimal: some providers do not decode it, and their secrets
 * contain no other characters.
 */
const encode = (text: string): string => encodeURIComponent(text).replaceAll("%20", "+")

/**
 * Authenticates us as the registered client. `client_secret_basic` is the standard's default; some
 * providers accept the secret in the body only, or register a client for one method.
 */
export const createClientAuth = (secret: string | null) => {
  let inBody = false

  const authenticateClient: ClientAuth = (server, client, body, headers) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    if (secret === null) return void body.set("client_id", client.client_id)
    if (inBody || !offered.includes("client_secret_basic")) {
      body.set("client_id", client.client_id)
      return void body.set("client_secret", secret)
    }
    const pair = `${encode(client.client_id)}:${encode(secret)}`
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`)
  }

  return {
    authenticateClient,

    /** Runs `work`, and retries with the other method if the provider rejects the client. */
    withRetry: async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        if (secret === null || !isClientRejected(error)) throw error
      }
      inBody = !inBody
      return work().catch((error: unknown) => {
        if (isClientRejected(error)) inBody = !inBody
        throw error
      })
    },
  }
}

const isClientRejected = (error: unknown): boolean =>
  toSignOnRefusal(error).problem === "client_refused"
