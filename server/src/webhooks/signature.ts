import { createHmac, randomBytes } from "node:crypto"

const secretPrefix = "whsec_"
const secretBytes = 32

/** `whsec_` and 32 random bytes in base64. */
export const createWebhookSecret = (): string =>
  `${secretPrefix}${randomBytes(secretBytes).toString("base64")}`

export interface SignedEvent {
  id: string
  /** When it is sent, in epoch seconds. */
  timestamp: number
  body: string
}

/**
 * The headers that prove who sent an event, and when.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const signEvent = (secret: string, { id, timestamp, body }: SignedEvent) => {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  }
}
