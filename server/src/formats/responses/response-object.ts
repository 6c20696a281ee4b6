import type { FinishReason } from "../finish-reason.ts"
import { jsonPieces } from "../json-pieces.ts"
import { type Fields, numberOf, objectOf } from "../json-values.ts"
import { readTokenDetails } from "../read-token-details.ts"

export const toResponseUsage = (usage: Fields | null): Fields | null => {
  if (!usage) return null
  const { prompt_tokens, completion_tokens } = usage
  const { cached, reasoning } = readTokenDetails(usage)
  return {
    input_tokens: numberOf(prompt_tokens),
    input_tokens_details: { cached_tokens: cached },
    output_tokens: numberOf(completion_tokens),
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: numberOf(prompt_tokens) + numberOf(completion_tokens),
  }
}

/** Why a response is incomplete; null if it is complete. */
export const incompleteReasonOf = (reason: FinishReason): string | null => {
  if (reason === "length") return "max_output_tokens"
  return reason === "content_filter" ? "content_filter" : null
}

export const epochSeconds = (): number => Math.floor(Date.now() / 1000)

/** Members that the response repeats from the request, with the API's defaults. */
const repeatedDefaults: Fields = {
  ...{ instructions: null, max_output_tokens: null, max_tool_calls: null, metadata: {} },
  ...{ parallel_tool_calls: true, previous_response_id: null, prompt_cache_key: null },
  ...{ safety_identifier: null, store: true, temperature: null, tool_choice: "auto", tools: [] },
  ...{ top_p: null, user: null },
}

const repeatedMembers = (request: Fields): Fields => {
  const members = Object.entries(repeatedDefaults).map(([name, value]) => [
    name,
    request[name] ?? value,
  ])
  const { effort = null, summary = null } = objectOf(request.reasoning)
  const text = objectOf(request.text)
  return {
    ...Object.fromEntries(members),
    reasoning: { effort, summary },
    service_tier: "default",
    text: { format: { type: "text" }, ...text },
    top_logprobs: 0,
    truncation: "disabled",
  }
}

/** A response whose large members are not written yet, and its status. */
export interface ResponseText {
  status: string
  /** JSON of the members before `output`, without the closing brace, and of those after it. */
  start: string
  output: readonly Fields[]
  end: readonly string[]
}

export const toJson = ({ start, output, end }: ResponseText): string =>
  `${start},"output":${JSON.stringify(output)}${end.join("")}`

/** The JSON of a large response, in pieces. */
export function* toJsonPieces({ start, output, end }: ResponseText): Generator<string> {
  yield `${start},"output":`
  yield* jsonPieces(output)
  yield* end
}

/**
 * Creates the response object in its states, from `in_progress` to its end, as JSON: a stream repeats
 * it in three events, and what it repeats from the request may have megabytes.
 */
export const createResponseObject = (request: Fields) => {
  const created_at = epochSeconds()
  const repeated = JSON.stringify(repeatedMembers(request)).slice(1, -1)

  const format = (
    own: Fields & { status: string },
    output: readonly Fields[],
    rest: Fields,
  ): ResponseText => ({
    status: own.status,
    start: JSON.stringify(own).slice(0, -1),
    output,
    end: [",", repeated, `,${JSON.stringify(rest).slice(1)}`],
  })

  const create = (id: string, model: string) => {
    const base = (status: string): Fields & { status: string } => ({
      ...{ id, object: "response", created_at, status, background: false, completed_at: null },
      ...{ error: null, incomplete_details: null, model },
    })
    // Usage is last, because the client's own members may contain one of this name: see `findUsage`.
    return {
      inProgress: (sources: Fields): ResponseText =>
        format(base("in_progress"), [], { ...sources, usage: null }),
      ended: (
        { output, reason, usage }: { output: Fields[]; reason: FinishReason; usage: Fields | null },
        sources: Fields,
      ): ResponseText => {
        const incomplete = incompleteReasonOf(reason)
        const own = {
          ...base(incomplete ? "incomplete" : "completed"),
          ...(incomplete
            ? { incomplete_details: { reason: incomplete } }
            : { completed_at: epochSeconds() }),
        }
        return format(own, output, { ...sources, usage: toResponseUsage(usage) })
      },
      failed: (error: { code: string; message: string }, output: Fields[]): ResponseText =>
        format({ ...base("failed"), error }, output, { usage: null }),
    }
  }
  return create
}

export type CreateResponseObject = ReturnType<typeof createResponseObject>
export type ResponseObject = ReturnType<CreateResponseObject>
