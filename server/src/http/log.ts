import type { Logger } from "pino"
import { Failure } from "../errors.ts"
import type { Exchange } from "./exchange.ts"

/** Polled by machines all day; worth a line only when something is wrong. */
const quietPaths = new Set(["/health", "/ready", "/metrics"])

const pathOf = (url: string | undefined): string => (url ?? "").split("?", 1)[0] ?? ""

const causeOf = (failure: Error): unknown =>
  failure instanceof Failure && failure.status === 500 ? failure.cause : undefined

/**
 * Writes the one line of a request: no bodies, no secrets, no query string. A client that left
 * before its reply was whole is marked `aborted`.
 */
export const logRequest = (log: Logger, exchange: Exchange): void => {
  const { incoming, outgoing, caller, failure } = exchange
  const status = outgoing.statusCode
  const path = pathOf(incoming.url)
  const level = status >= 500 ? "error" : quietPaths.has(path) ? "debug" : "info"
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      request_id: exchange.requestId,
      method: incoming.method,
      path,
      status,
      duration_ms: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
      address: exchange.address,
      user: caller?.user.id,
      key: caller?.credential.type === "key" ? caller.credential.id : undefined,
      model: exchange.model,
      connection: exchange.connection,
      aborted: outgoing.writableFinished ? undefined : true,
      error: failure?.message,
      err: failure && causeOf(failure),
    },
    "request",
  )
}
