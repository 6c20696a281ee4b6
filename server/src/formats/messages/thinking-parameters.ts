import { effortOfBudget, type ReportDropped } from "../canonical-request.ts"
import {
  type Fields,
  isObject,
  numberOf,
  objectOf,
  objectsIn,
  ownValue,
  textOf,
} from "../json-values.ts"

/** What a model's listing says about its thinking. Undefined if it does not say. */
export interface ThinkingSupport {
  supportsEffort: boolean
  /** The efforts that it accepts. */
  efforts?: ReadonlySet<string> | undefined
  /** Whether it accepts thinking of the type `adaptive`. */
  adaptive?: boolean | undefined
  /** Whether it accepts thinking with a budget, of the type `enabled`. */
  budget?: boolean | undefined
  /** Whether thinking can be turned off. */
  disabled?: boolean | undefined
}

/** What thinking and sampling depend on: a request of Anthropic's API. */
export interface ThinkingContext {
  support: ThinkingSupport
  max_tokens: number
  messages: readonly Fields[]
  tool_choice: Fields
}

const minBudget = 1024
const budgetByEffort: Record<string, number> = {
  ...{ minimal: minBudget, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 32_768 },
}

const budgetOf = (effort: string): number =>
  ownValue(budgetByEffort, effort) ?? numberOf(budgetByEffort.medium)

/** Undefined if the limit leaves no room. Thinking counts towards it, so half remains for the answer. */
const toBudget = (wanted: number, max_tokens: number): Fields | undefined => {
  if (max_tokens <= minBudget) return undefined
  const highest = Math.max(minBudget, Math.floor(max_tokens / 2))
  const budget_tokens = Math.min(Math.max(minBudget, wanted), highest)
  return { type: "enabled", budget_tokens }
}

const isThinking = ({ type }: Fields): boolean =>
  type === "thinking" || type === "redacted_thinking"

/**
 * With a budget, an answer that continues after the results of tools has to begin with its thinking,
 * which clients of chat completions may not have returned.
 */
const lacksThinking = (messages: readonly Fields[]): boolean => {
  const returnsResults = objectsIn(messages.at(-1)?.content).some(
    ({ type }) => type === "tool_result",
  )
  const answer = messages.findLast(({ role }) => role === "assistant")
  const [first] = objectsIn(answer?.content)
  return returnsResults && first !== undefined && !isThinking(first)
}

/** Thinking cannot be combined with a forced tool call, or the beginning of an answer. */
const forbidsThinking = ({ tool_choice, messages }: ThinkingContext): boolean =>
  tool_choice.type === "any" || tool_choice.type === "tool" || messages.at(-1)?.role === "assistant"

const chooseThinking = (budget: number, context: ThinkingContext): Fields | undefined => {
  const { support, max_tokens, messages } = context
  if (forbidsThinking(context)) return undefined
  if (support.adaptive) return { type: "adaptive" }
  return support.budget && !lacksThinking(messages) ? toBudget(budget, max_tokens) : undefined
}

/** The client's own thinking, in the type that the model has. */
const toSupportedThinking = (
  thinking: Fields,
  effort: string,
  { support, max_tokens }: ThinkingContext,
): Fields => {
  const { type, budget_tokens, ...options } = thinking
  const hasBudget = typeof budget_tokens === "number"
  if (type === "enabled" && support.adaptive && (support.budget === false || !hasBudget)) {
    return { type: "adaptive", ...options }
  }
  const lacksBudget = type === "enabled" && !hasBudget
  const isUnknownType = type === "adaptive" && !support.adaptive && support.budget
  const budget = lacksBudget || isUnknownType ? toBudget(budgetOf(effort), max_tokens) : undefined
  return budget ? { ...budget, ...options } : thinking
}

const toSupportedEffort = (effort: string, { efforts }: ThinkingSupport): string => {
  if (effort === "minimal") return "low"
  return efforts && efforts.size > 0 && !efforts.has(effort) ? "high" : effort
}

/** OpenRouter's clients have it in `reasoning`, as an effort, a number of tokens or a switch. */
export const requestedEffortOf = ({ reasoning_effort, reasoning }: Fields): string => {
  const { effort, max_tokens, enabled } = objectOf(reasoning)
  const named = textOf(reasoning_effort) || textOf(effort)
  if (named !== "") return named.toLowerCase()
  if (enabled === false) return "none"
  return enabled === true || typeof max_tokens === "number" ? effortOfBudget(max_tokens) : ""
}

const requestedBudgetOf = (request: Fields): number => {
  const { max_tokens } = objectOf(request.reasoning)
  return numberOf(max_tokens) || budgetOf(requestedEffortOf(request))
}

/** Requests the effort that a client asks for, in the way that the model has: `thinking` and `effort`. */
export const toThinkingParameters = (
  request: Fields,
  context: ThinkingContext,
  report: ReportDropped,
): { thinking?: Fields | undefined; effort?: string | undefined } => {
  const { support } = context
  const { thinking } = request
  const requested = requestedEffortOf(request)
  const isOff = requested === "none"
  const given = isObject(thinking) ? toSupportedThinking(thinking, requested, context) : undefined
  if (requested === "" || (isOff && given)) return { thinking: given }
  if (isOff) {
    const turnsOff = support.adaptive && support.disabled
    return { thinking: turnsOff ? { type: "disabled" } : undefined }
  }
  const chosen = given ?? chooseThinking(requestedBudgetOf(request), context)
  if (support.supportsEffort) {
    return { thinking: chosen, effort: toSupportedEffort(requested, support) }
  }
  if (given || !chosen) report("reasoning_effort")
  return { thinking: chosen }
}

/** The range of `top_p` that can be combined with thinking begins here. */
const minTopP = 0.95

const isDefaultSampling: Record<string, (value: unknown) => boolean> = {
  temperature: (value) => value === 1,
  top_p: (value) => numberOf(value) >= minTopP,
  top_k: () => false,
}

/**
 * Leaves out what cannot be combined with the thinking that the gateway turned on, and what models
 * reject that have no other thinking than adaptive.
 */
export const toSampling = (
  sampling: Fields,
  isThinkingAdded: boolean,
  { adaptive, budget }: ThinkingSupport,
  report: ReportDropped,
): Fields => {
  if (!isThinkingAdded && !(adaptive && budget === false)) return sampling
  return Object.fromEntries(
    Object.entries(sampling).filter(([name, value]) => {
      const isKept = value === undefined || isDefaultSampling[name]?.(value) === true
      if (!isKept) report(name)
      return isKept
    }),
  )
}
