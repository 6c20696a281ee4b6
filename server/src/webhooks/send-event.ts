import { ResponseTooLargeError, readBufferedResponse } from "@portico/http1"
import { shortenMessage, toError } from "../errors.ts"
import type { Transports } from "../outbound/transports.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { signEvent } from "./signature.ts"

const timeoutMs = 15_000
const timeouts = { connect: 5, firstByte: 10, idle: 10 }
/** The response's text is not used. */
const maxResponseBytes = 64 * 1024

/** How the receiver responded. */
export interface EventAttempt {
  /** Null if there was no response. */
  status: number | null
  /** Null if the event was accepted. */
  error: string | null
}

interface Deps {
  transports: Pick<Transports, "openAnonymous">
  secrets: Pick<Secrets, "unseal">
  nowMs: () => number
}

interface OutgoingEvent {
  url: string
  sealedSecret: string
  id: string
  body: string
  /** Aborted when the gateway shuts down. */
  signal: AbortSignal
}

export type SendEvent = (event: OutgoingEvent) => Promise<EventAttempt>

const describeError = (error: Error, signal: AbortSignal): string =>
  signal.aborted ? `no response within ${timeoutMs / 1000} s` : shortenMessage(error.message)

/**
 * Sends a signed event. Any 2xx status accepts it; redirects are not followed, as the address would
 * not be the one that was set.
 * @throws the signal's reason
 */
export const createSendEvent =
  ({ transports, secrets, nowMs }: Deps): SendEvent =>
  async ({ url, sealedSecret, id, body, signal }) => {
    const { origin, pathname, search } = new URL(url)
    const transport = transports.openAnonymous({ baseUrl: origin, timeouts })
    const timestamp = Math.floor(nowMs() / 1000)
    const createRequest = () => ({
      method: "POST",
      path: pathname + search,
      headers: {
        ...signEvent(secrets.unseal(sealedSecret), { id, timestamp, body }),
        "content-type": "application/json",
        "user-agent": "Portico",
        "accept-encoding": "identity",
      },
      body: Buffer.from(body),
    })
    const timeout = AbortSignal.timeout(timeoutMs)
    const response: { status: number | null } = { status: null }
    try {
      // Fails if SECRET_KEY has changed; the page then shows why.
      const request = createRequest()
      await readBufferedResponse(
        (listener) =>
          transport.send(request, {
            ...listener,
            onHead: (head, rawHeaders) => {
              response.status = head
              return listener.onHead(head, rawHeaders)
            },
          }),
        { signal: AbortSignal.any([signal, timeout]), maxBytes: maxResponseBytes },
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ResponseTooLargeError))
        return { status: null, error: describeError(toError(error), timeout) }
    } finally {
      transport.close()
    }
    const { status } = response
    const isAccepted = status !== null && status >= 200 && status < 300
    return { status, error: isAccepted ? null : `status ${status}` }
  }
