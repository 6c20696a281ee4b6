import type { Logger } from "pino"
import type { AuditEvent } from "./schema.ts"

/** Where sealed events are sent. */
export interface Sink {
  /** Its name for people; nothing secret. */
  name: string
  /**
   * Resolves once the other side has them for good.
   * @throws {Unacceptable} when it will never take them, any other error when it may later
   */
  send(events: readonly AuditEvent[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The collector says that what it was sent is wrong. */
export class Unacceptable extends Error {
  override name = "Unacceptable"
}

/** Statuses that no second try would help. */
const final = new Set([400, 413, 415, 422])
const connectMs = 5000
const answerMs = 30_000

/** Lines of the log, whatever its level. */
export const createLogSink = (log: Logger): Sink => {
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

/** NDJSON by POST. An event comes twice when its acknowledgement is lost: its id tells. */
export const createCollectorSink = (url: string, authorization: string | undefined): Sink => {
  const { origin, pathname, search, host } = new URL(url)
  // Loaded only where there is a collector.
  const opening = import("undici").then(
    ({ Pool }) =>
      new Pool(origin, {
        connect: { timeout: connectMs },
        headersTimeout: answerMs,
        bodyTimeout: answerMs,
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
      if (final.has(statusCode)) throw new Unacceptable(`The collector answers ${statusCode}`)
      if (statusCode < 200 || statusCode > 299) {
        throw new Error(`The collector answers ${statusCode}`)
      }
    },
    close: async () => (await opening).destroy(),
  }
}
