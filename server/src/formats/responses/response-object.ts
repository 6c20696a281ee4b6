import type { FinishReason } from "../finish-reason.ts"
import { type Fields, isObject, numberOf } from "../json-values.ts"

const toUsage = (usage: Fields | null): Fields | null => {
  if (!usage) return null
  const { prompt_tokens, completion_tokens } = usage
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage
  const cached = isObject(input) ? input.cached_tokens : 0
  const reasoning = isObject(output) ? output.reasoning_tokens : 0
  return {
    input_tokens: numberOf(prompt_tokens),
    input_tokens_details: { cached_tokens: numberOf(cached) },
    output_tokens: numberOf(completion_tokens),
    output_tokens_details: { reasoning_tokens: numberOf(reasoning) },
    total_tokens: numberOf(prompt_tokens) + numberOf(completion_tokens),
  }
}

/** Why a response is incomplete; null if it is complete. */
export const incompleteReasonOf = (reason: FinishReason): string | null => {
  if (reason === "length") return "max_output_tokens"
  return reason === "content_filter" ? "content_filter" : null
}

const epochSeconds = (): number => Math.floor(Date.now() / 1000)

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
  const { effort = null, summary = null } = isObject(request.reasoning) ? request.reasoning : {}
  const text = isObject(request.text) ? request.text : {}
  return {
    ...Object.fromEntries(members),
    reasoning: { effort, summary },
    service_tier: "default",
    text: { format: { type: "text" }, ...text },
    top_logprobs: 0,
    truncation: "disabled",
  }
}

/** Creates the response object in its states, from `in_progress` to its end. */
export const createResponseObject = (request: Fields, id: string, model: string) => {
  const created_at = epochSeconds()
  const base = (status: string, sources: Fields): Fields => ({
    ...{ id, object: "response", created_at, status, background: false, completed_at: null },
    ...{ error: null, incomplete_details: null, model, output: [] },
    ...repeatedMembers(request),
    ...sources,
    // Last, because the client's own members may contain one of this name: see `findUsage`.
    usage: null,
  })
  return {
    inProgress: (sources: Fields): Fields => base("in_progress", sources),
    ended: (
      { output, reason, usage }: { output: Fields[]; reason: FinishReason; usage: Fields | null },
      sources: Fields,
    ): Fields => {
      const incomplete = incompleteReasonOf(reason)
      return {
        ...base(incomplete ? "incomplete" : "completed", sources),
        ...(incomplete
          ? { incomplete_details: { reason: incomplete } }
          : { completed_at: epochSeconds() }),
        output,
        usage: toUsage(usage),
      }
    },
    failed: (error: { code: string; message: string }, output: Fields[]): Fields => ({
      ...base("failed", {}),
      error,
      output,
    }),
  }
}

export type ResponseObject = ReturnType<typeof createResponseObject>
