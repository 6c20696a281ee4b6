import type { ReportDropped } from "../formats/canonical-request.ts"
import { type Fields, objectOf, ownValue, textOf } from "../formats/json-values.ts"
import type { ProviderModel } from "./provider.ts"

// Which parameters of chat completions a model accepts. Most model lists do not say, so its name and
// its server's host decide: one name is served by OpenAI, Azure, proxies and other gateways.

/** Of a fine-tuned model, which is named `ft:gpt-4.1:organization::id`, that of its base. */
const baseNameOf = (name: string): string => /(?:^|\/)ft:([^:]+)/i.exec(name)?.[1] ?? name

const numberedSeries = /(^|[./:_-])o([1-9])(?![a-z\d])/i
const versionedName = /(^|[./:_-])gpt-?([5-9])(\.\d+)?/i
const chatName = /(^|[./:_-])gpt-?[5-9](\.\d+)?-chat/i

/** Of o1 and later, the number of the series; 0 for other models. */
const seriesOf = (name: string): number => Number(numberedSeries.exec(baseNameOf(name))?.[2] ?? 0)

/** Of GPT-5 and later, 100 times the major version and the minor one; 0 for other models. */
const gptVersion = (name: string): number => {
  const [, , major = "0", minor = ".0"] = versionedName.exec(baseNameOf(name)) ?? []
  return Number(major) * 100 + Number(minor.slice(1))
}

/** They reason unless it is turned off, and then reject tools. */
const reasonsByDefault = (name: string): boolean => gptVersion(name) >= 505
/** OpenAI's own servers reject tools of these if an effort is requested. */
const reasonsWithoutTools = (name: string): boolean =>
  gptVersion(name) >= 502 && gptVersion(name) <= 504
const turnsOffReasoning = (name: string): boolean =>
  gptVersion(name) >= 501 && !/codex|pro/i.test(name)
const hasHighestEffort = (name: string): boolean => gptVersion(name) >= 502
const hasMinimalEffort = (name: string): boolean =>
  gptVersion(name) === 500 && !/codex|pro/i.test(name)
/** The first models that reasoned. */
const hasNoEffort = (name: string): boolean => /(^|[./:_-])o1-(mini|preview)/i.test(name)

/** Series of other vendors whose APIs, or the servers that offer them, have `reasoning_effort`. */
const otherReasoningSeries = [
  /(^|[./:_-])grok-(3-mini|[4-9])/i,
  /(^|[./:_-])(gpt-oss|qwq|qwen-?3|magistral)/i,
  /(^|[./:_-])deepseek-(r[1-9]|reasoner|v3\.[1-9]|v[4-9])/i,
  /(^|[./:_-])gemini-(2\.5|[3-9])/i,
  /(^|[./:_-])glm-(4\.[5-9]|[5-9])/i,
  /(^|[./:_-])kimi-k(2\.[5-9]|[3-9])/i,
  /(^|[./:_-])claude-(3[.-]7|[4-9]|(opus|sonnet|haiku|fable|mythos)-[4-9])/i,
  /thinking|reasoning/i,
]
const withoutReasoning = /non-?reasoning|non-?thinking|instruct|coder|-image|embed/i

const isOpenAIHost = (host: string): boolean => /\.(openai|azure)\.com$/.test(host)
/** OpenRouter itself adapts requests to what a model accepts. */
const isAdaptingHost = (host: string): boolean => /(^|\.)openrouter\.ai$/.test(host)
const hostOf = (baseUrl: string): string => new URL(baseUrl).hostname

/** Whether a name is that of a model of OpenAI that reasons. */
export const isReasoningModel = (name: string): boolean =>
  seriesOf(name) > 0 || (gptVersion(name) > 0 && !chatName.test(baseNameOf(name)))

/**
 * The member by which a request limits the answer. OpenAI's models that reason accept no
 * `max_tokens`, and many other servers nothing else.
 * @param names of the API's members that limit it
 */
export const outputFieldOf = (names: readonly string[], model: string): string => {
  const [field = "max_tokens", alternative] = names
  return alternative !== undefined && isReasoningModel(model) ? alternative : field
}

const hasTools = ({ tools }: Fields): boolean => Array.isArray(tools) && tools.length > 0

const rejectsEffortWithTools = (name: string, host: string): boolean =>
  !isAdaptingHost(host) &&
  (reasonsByDefault(name) || (isOpenAIHost(host) && reasonsWithoutTools(name)))

/** Null if the provider's list does not say. OpenRouter lists the parameters of each model. */
const listedReasoning = ({ capabilities, listing }: ProviderModel): boolean | null => {
  const { supported_parameters } = objectOf(listing)
  if (Array.isArray(supported_parameters)) {
    return supported_parameters.some((name) => name === "reasoning" || name === "reasoning_effort")
  }
  if (Object.keys(capabilities).length === 0) return null
  return capabilities.thinking === true || capabilities.reasoning === true
}

/** What every server accepts. */
const commonEfforts: Record<string, string> = { minimal: "low", xhigh: "high", max: "high" }

/** The nearest effort that a model of OpenAI accepts; null if there is none. */
const toOpenAIEffort = (name: string, effort: string): string | null => {
  if (effort === "none") return turnsOffReasoning(name) ? effort : null
  if (effort === "minimal" && hasMinimalEffort(name)) return effort
  const isHighest = effort === "max" || effort === "xhigh"
  if (isHighest && hasHighestEffort(name)) return "xhigh"
  return ownValue(commonEfforts, effort) ?? effort
}

/** xAI rejects an effort for most of its models. */
const xaiWithEffort = /grok-(3-mini|4\.([3-9]|20-multi-agent)|[5-9])/

const toOtherEffort = (name: string, effort: string, host: string): string | null => {
  if (host === "api.x.ai" && !xaiWithEffort.test(name)) return null
  // Mistral's models of this series always reason.
  if (host === "api.mistral.ai" && name.includes("magistral")) return null
  // Groq turns the reasoning of these on or off.
  if (host === "api.groq.com" && name.includes("qwen"))
    return effort === "none" ? effort : "default"
  return effort === "none" ? null : (ownValue(commonEfforts, effort) ?? effort)
}

/**
 * The effort that a model accepts in chat completions for the one that a client requests; null if
 * it accepts none.
 */
export const toAcceptedEffort = (
  model: ProviderModel,
  baseUrl: string,
  request: Fields,
): ((effort: string) => string | null) => {
  const { name } = model
  const host = hostOf(baseUrl)
  const listed = listedReasoning(model)
  const isOpenAI = isReasoningModel(name)
  const isOther =
    otherReasoningSeries.some((series) => series.test(name)) && !withoutReasoning.test(name)
  if (!(listed ?? (isOpenAI || isOther)) || hasNoEffort(name)) return () => null
  if (hasTools(request) && isOpenAI && rejectsEffortWithTools(name, host)) return () => null
  if (isOpenAI) return (effort) => toOpenAIEffort(name, effort)
  if (listed === null) return (effort) => toOtherEffort(name, effort, host)
  return (effort) => ownValue(commonEfforts, effort) ?? effort
}

/** OpenAI's newer models accept no `max_tokens`, and most other servers nothing else. */
const renameMaxTokens = ({ max_tokens, ...request }: Fields): Fields =>
  max_tokens === undefined ? request : { ...request, max_completion_tokens: max_tokens }

/** Lets GPT-5.5 and later, which reason unless it is turned off, accept tools. */
const turnOffReasoningForTools = (request: Fields): Fields =>
  reasonsByDefault(textOf(request.model)) && hasTools(request)
    ? { ...request, reasoning_effort: "none" }
    : request

const samplingParameters = new Set([
  ...["temperature", "top_p", "presence_penalty", "frequency_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs"],
])
/** Values that ask for nothing else than leaving a parameter out does. */
const defaultValues: Record<string, unknown> = {
  temperature: 1,
  top_p: 1,
  parallel_tool_calls: true,
}

/** o1 and o3-mini still had stop sequences, and GPT-5.5 has them again. */
const rejectsStop = (name: string): boolean => {
  const series = seriesOf(name)
  if (series > 0) return series > 3 || (series === 3 && !/o3-mini/i.test(name))
  return gptVersion(name) < 505
}

/** What a model rejects: while it reasons, all that changes the choice of tokens. */
const rejectedParameters = ({ model, reasoning_effort }: Fields): ReadonlySet<string> => {
  const name = textOf(model)
  return new Set([
    ...(reasoning_effort === "none" ? [] : samplingParameters),
    ...(rejectsStop(name) ? ["stop"] : []),
    ...(seriesOf(name) > 0 ? ["parallel_tool_calls"] : []),
  ])
}

const withoutRejected = (request: Fields, report: ReportDropped): Fields => {
  const rejected = rejectedParameters(request)
  const isLeftOut = ([name]: [string, unknown]): boolean => rejected.has(name)
  for (const [name, value] of Object.entries(request).filter(isLeftOut)) {
    if (value !== (defaultValues[name] ?? null)) report(name)
  }
  return Object.fromEntries(Object.entries(request).filter((entry) => !isLeftOut(entry)))
}

/** Changes a request that the gateway wrote to what a model of OpenAI accepts, behind any host. */
export const adaptToOpenAIModel = (
  request: Fields,
  baseUrl: string,
  report: ReportDropped,
): Fields => {
  const host = hostOf(baseUrl)
  if (isAdaptingHost(host)) return request
  if (isReasoningModel(textOf(request.model))) {
    return withoutRejected(turnOffReasoningForTools(renameMaxTokens(request)), report)
  }
  return isOpenAIHost(host) ? renameMaxTokens(request) : request
}
