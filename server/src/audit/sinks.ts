import type { Logger } from "pino"
import type { AuditEvent } from "./schema.ts"

/** A destination for sealed events. */
export interface AuditSink {
  /** Display name; contains no secrets. */
  name: string
  /**
   * Resolves once the destination has accepted the events durably.
   * @throws {RejectedEventsError} if it will never accept them; any other error if a retry may succeed
   */
  send(events: readonly AuditEvent[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The collector rejected the events as invalid. */
export class RejectedEventsError extends Error {
  override name = "Unacceptable"
}

/** Status codes that a retry would not change. */
const permanentFailureStatuses = new Set([400, 413, 415, 422])
const connectTimeoutMs = 5000
const responseTimeoutMs = 30_000

/** Writes events as log lines, regardless of the log level. */
export const createLogSink = (log: Logger): AuditSink => {
  const lines = log.child({}, { level: "info" })
  return {
    name: "stdout",
    send: (events) => {
      for (const audit of events) lines.info({ audit }, "audit")
      return new Promise((resolve, reject) => {
        lines.flush((error) => (error ? reject(error) : resolve()))
      })
    },
    close: async () => {},
  }
}

/**
 * Posts events as NDJSON. An event is sent again if its acknowledgement is lost; its id identifies
 * duplicates.
 */
export const createCollectorSink = (url: string, authorization: string | undefined): AuditSink => {
  const { origin, pathname, search, host } = new URL(url)
  // Loaded only if a collector is configured.
  const opening = import("undici").then(
    ({ Pool }) =>
      new Pool(origin, {
        connect: { timeout: connectTimeoutMs },
        headersTimeout: responseTimeoutMs,
        bodyTimeout: responseTimeoutMs,
        connections: 1,
      }),
  )
  return {
    name: host,
    send: async (events, signal) => {
      const pool = await opening
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: pathname + search,
        headers: {
          "content-type": "application/x-ndjson",
          ...(authorization && { authorization }),
        },
        body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
        signal,
      })
      await body.dump()
      if (permanentFailureStatuses.has(statusCode))
        throw new RejectedEventsError(`The collector responded with status ${statusCode}`)
      if (statusCode < 200 || statusCode > 299) {
        throw new Error(`The collector responded with status ${statusCode}`)
      }
    },
    close: async () => (await opening).destroy(),
  }
}
