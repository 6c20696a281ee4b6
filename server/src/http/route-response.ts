import type { RouteShape } from "./route.ts"

/** The status and, if the handler returns nothing, the body of a successful response. */
export const successOf = ({ responses }: RouteShape): { status: number; defaultBody: unknown } => {
  const [status, declaration] =
    Object.entries(responses).find(([code]) => code.startsWith("2")) ?? []
  return { status: Number(status ?? 200), defaultBody: declaration?.defaultBody }
}

interface HandlerOutcome {
  /** What the handler returned. */
  value: unknown
  status: number
  countBytes: (bytes: number) => void
}

const jsonResponse = ({ value, status, countBytes }: HandlerOutcome): Response => {
  const text = JSON.stringify(value)
  countBytes(Buffer.byteLength(text))
  return new Response(text, { status, headers: { "content-type": "application/json" } })
}

/** Converts a handler's result to a response: a `Response` unchanged, other values as JSON. */
export const toResponse = async (method: string, outcome: HandlerOutcome): Promise<Response> => {
  const { value, status } = outcome
  if (status === 204 && !(value instanceof Response)) return new Response(null, { status })
  const response = value instanceof Response ? value : jsonResponse(outcome)
  // The body of a HEAD response is never read; cancelling it stops its source.
  if (method === "HEAD") await response.body?.cancel()
  return response
}
