import type { ClientAuth } from "openid-client"
import { asRefusal } from "./client-errors.ts"

/**
 * As forms are encoded (RFC 6749 §2.3.1), and no more than that: some providers do not decode, and
 * their own secrets have no other letters.
 */
const encode = (text: string): string => encodeURIComponent(text).replaceAll("%20", "+")

/**
 * How we prove to be the client that was registered. `client_secret_basic` is the standard's
 * default; some providers take the secret in the body only, or register a client for one of both.
 */
export const createClientAuth = (secret: string | null) => {
  let inBody = false

  const prove: ClientAuth = (server, client, body, headers) => {
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
    prove,

    /** Runs `work`, and once more the other way if the provider refuses the client. */
    attempt: async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        if (secret === null || !isRefused(error)) throw error
      }
      inBody = !inBody
      return work().catch((error: unknown) => {
        if (isRefused(error)) inBody = !inBody
        throw error
      })
    },
  }
}

const isRefused = (error: unknown): boolean => asRefusal(error).problem === "client_refused"
