import { ZodError } from "zod"
import { RefusedError } from "../outbound/client.ts"
import { classify } from "../outbound/upstream-error.ts"
import { redact } from "./redact.ts"
import type { NewConnection } from "./schema.ts"

/** How long a test waits for the list of models. */
export const testMs = 10_000

const refused = ({ status, message }: RefusedError, { base_url, kind }: NewConnection): string => {
  if (status === 401 || status === 403) {
    return `${base_url} refuses the API key (${status}); check the key`
  }
  if (status !== 404) return `${base_url} answers with an error: ${message}`
  const hint = kind === "openai" ? "the address usually ends in /v1" : "leave out any path"
  return `${base_url} answers, but has no list of models there (404); ${hint}`
}

const plainWords: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name cannot be looked up now",
  EHOSTUNREACH: "no way to that host",
  ENETUNREACH: "no way to that network",
}

const reasonOf = (error: Error): string => {
  const [code] = Object.keys(plainWords).filter((one) => error.message.includes(one))
  return (code && plainWords[code]) || error.message || error.name
}

const failed = (error: Error, { base_url }: NewConnection): string => {
  if (error.name === "TimeoutError") {
    return `${base_url} did not answer within ${testMs / 1000} seconds`
  }
  const reason = reasonOf(error)
  return classify(error, false).kind === "unreachable"
    ? `Nothing can be reached at ${base_url} (${reason}); check the address, and that it is running`
    : `The connection to ${base_url} failed: ${reason}`
}

/** What went wrong and what to look at, for the person who sets a connection up. */
export const inWords = (error: unknown, connection: NewConnection): string =>
  redact(worded(error, connection), connection)

const worded = (error: unknown, connection: NewConnection): string => {
  if (error instanceof RefusedError) return refused(error, connection)
  if (error instanceof SyntaxError || error instanceof ZodError) {
    const name = connection.kind === "ollama" ? "Ollama" : "an OpenAI-style API"
    return `${connection.base_url} answers, but not as ${name} does`
  }
  return failed(error instanceof Error ? error : new Error(String(error)), connection)
}
