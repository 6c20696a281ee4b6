import { type Logger, symbols } from "pino"
import { Failure, shortenMessage, shortenValue } from "../errors.ts"
import { keyIdOf, userIdOf } from "./caller.ts"
import { pathOf, type RequestContext } from "./request-context.ts"

/** Polled constantly by monitoring: logged at `debug` level unless the response is an error. */
const probePaths = new Set(["/health", "/ready", "/metrics"])

const causeOf = (failure: Error): unknown =>
  failure instanceof Failure && failure.status === 500 ? failure.cause : undefined

const durationOf = ({ startedAt }: RequestContext): number =>
  Math.round((performance.now() - startedAt) * 10) / 10

const userOf = ({ caller }: RequestContext): string | undefined =>
  (caller && userIdOf(caller)) ?? undefined

const keyOf = ({ caller }: RequestContext): string | undefined =>
  (caller && keyIdOf(caller)) ?? undefined

const needsNoEscape = /^[\w\-./:@ ]*$/
/** Longer values may have to be shortened. */
const maxPlainLength = 100

const member = (name: string, value: string | undefined): string => {
  if (value === undefined) return ""
  const isShort = value.length <= maxPlainLength && needsNoEscape.test(value)
  return `,"${name}":${isShort ? `"${value}"` : JSON.stringify(shortenValue(value))}`
}

/** The entry as pino would write it; built by hand because most requests log one. */
const formatInfoLine = (context: RequestContext): string => {
  const { incoming, outgoing, requestId, address, model, connection } = context
  return (
    `{"level":30,"time":${Date.now()}${member("request_id", requestId)}` +
    `${member("method", incoming.method)}${member("path", pathOf(incoming.url))}` +
    `,"status":${outgoing.statusCode},"duration_ms":${durationOf(context)}` +
    `${member("address", address)}${member("user", userOf(context))}` +
    `${member("key", keyOf(context))}${member("model", model)}` +
    `${member("connection", connection)},"msg":"request"}\n`
  )
}

const logFields = (context: RequestContext): object => {
  const { incoming, outgoing, failure } = context
  return {
    request_id: context.requestId,
    method: incoming.method,
    path: shortenValue(pathOf(incoming.url)),
    status: outgoing.statusCode,
    duration_ms: durationOf(context),
    address: context.address,
    user: userOf(context),
    key: keyOf(context),
    model: context.model && shortenValue(context.model),
    connection: context.connection,
    aborted: outgoing.writableFinished ? undefined : true,
    error: failure && shortenMessage(failure.message),
    err: failure && causeOf(failure),
  }
}

const levelOf = ({ incoming, outgoing, failure }: RequestContext): "error" | "info" | "debug" => {
  // A response may fail after its status was sent.
  const broken = failure instanceof Failure && failure.status >= 500
  if (broken || outgoing.statusCode >= 500) return "error"
  return probePaths.has(pathOf(incoming.url)) ? "debug" : "info"
}

const canWrite = (target: unknown): target is { write(line: string): void } =>
  typeof target === "object" && target !== null && "write" in target

/**
 * Writes one access log entry per request, without bodies, secrets or query string. If the client
 * disconnected before the response was complete, the entry is marked `aborted`.
 */
export const createRequestLog = (log: Logger): ((context: RequestContext) => void) => {
  const stream: unknown = Reflect.get(log, symbols.streamSym)
  return (context) => {
    const level = levelOf(context)
    if (!log.isLevelEnabled(level)) return
    const isOrdinary = level === "info" && !context.failure && context.outgoing.writableFinished
    if (isOrdinary && canWrite(stream)) stream.write(formatInfoLine(context))
    else log[level](logFields(context), "request")
  }
}
