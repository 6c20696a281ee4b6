import { ZodError } from "zod"
import { RefusedError } from "../outbound/client.ts"
import { classifyUpstreamError } from "../outbound/upstream-error.ts"
import { redactSecrets } from "./redact.ts"
import type { NewConnection } from "./schema.ts"

/** How long a test waits for the list of models. */
export const testTimeoutMs = 10_000

const describeRejection = (
  { status, message }: RefusedError,
  { base_url, kind }: NewConnection,
): string => {
  if (status === 401 || status === 403) {
    return `${base_url} rejected the API key (status ${status}). Check the key.`
  }
  if (status !== 404) return `${base_url} responded with an error: ${message}`
  const hint =
    kind === "openai" ? "The base URL usually ends in /v1." : "Use the base URL without a path."
  return `${base_url} has no model list at this path (404). ${hint}`
}

const reasonByCode: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the DNS lookup failed temporarily",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
}

const reasonOf = (error: Error): string => {
  const [code] = Object.keys(reasonByCode).filter((one) => error.message.includes(one))
  return (code && reasonByCode[code]) || error.message || error.name
}

const describeConnectionError = (error: Error, { base_url }: NewConnection): string => {
  if (error.name === "TimeoutError") {
    return `${base_url} did not respond within ${testTimeoutMs / 1000} seconds.`
  }
  const reason = reasonOf(error)
  return classifyUpstreamError(error, false).kind === "unreachable"
    ? `Can't reach ${base_url}: ${reason}. Check the address and that the server is running.`
    : `The connection to ${base_url} failed: ${reason}`
}

/** A message for the person who configures the connection: what failed and what to check. */
export const describeTestFailure = (error: unknown, connection: NewConnection): string =>
  redactSecrets(describe(error, connection), connection)

const describe = (error: unknown, connection: NewConnection): string => {
  if (error instanceof RefusedError) return describeRejection(error, connection)
  if (error instanceof SyntaxError || error instanceof ZodError) {
    const name = connection.kind === "ollama" ? "Ollama" : "an OpenAI-style API"
    return `${connection.base_url} did not respond like ${name}.`
  }
  return describeConnectionError(
    error instanceof Error ? error : new Error(String(error)),
    connection,
  )
}
