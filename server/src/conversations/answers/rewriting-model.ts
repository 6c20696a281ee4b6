import type { Completions } from "../../completions/completions.ts"
import { encodeForProvider } from "../../completions/conversion/encode-for-provider.ts"
import type { Endpoint } from "../../connections/connection-registry.ts"
import { Failure } from "../../errors.ts"
import type { Fields } from "../../formats/json-values.ts"
import { type Caller, noCredentialLimits } from "../../http/caller.ts"
import { type MessageOrText, translatable } from "../../i18n/message.ts"
import type {
  AskRewritingModel,
  RewritingModelRequest,
} from "../../knowledge/rewriting/question-rewriter.ts"
import type { ModelCatalogue, ResolvedModel } from "../../models/catalogue.ts"
import { toAcceptedEffort } from "../../providers/openai-parameters.ts"
import { requestText, type TextAnswer } from "./request-text.ts"

const maxTokens = 800
/** Rewriting is no problem to think about; what a model accepts of these comes first. */
const efforts = ["none", "minimal"]
const rejectsParameters = new Set([400, 422])

/** For a model that an administrator chose for the gateway, whoever asks the question. */
const asGateway = (caller: Caller): Caller => ({
  ...caller,
  user: { ...caller.user, role: "admin" },
  credential: { ...caller.credential, limits: noCredentialLimits },
})

/** Parameters of a workspace model that describe its answers. */
const answerParams = new Set([
  ...["system", "tools", "tool_choice", "functions", "function_call", "response_format"],
  ...["stop", "n", "max_completion_tokens"],
])

/** Other parameters stay: Ollama loads a model again if its context length changes. */
const withoutAnswerParams = (resolved: ResolvedModel): ResolvedModel => ({
  ...resolved,
  workspace: resolved.workspace.map((model) => {
    const kept = Object.entries(model.params).filter(([name]) => !answerParams.has(name))
    return { ...model, params: Object.fromEntries(kept) }
  }),
})

/** What the endpoint's model accepts of a request with little thinking. */
const adaptTo = ({ connection, model }: Endpoint, fields: Fields): Fields => {
  const { kind, base_url: baseUrl } = connection.config
  // Others convert chat completions, and think only if they are asked to.
  if (connection.provider.chatFormat) return fields
  const toEffort = toAcceptedEffort(model, baseUrl, fields)
  const effort = efforts.find((one) => toEffort(one) !== null)
  const request = { ...fields, model: model.name, ...(effort && { reasoning_effort: effort }) }
  const { model: _name, ...adapted } = encodeForProvider(
    request,
    { kind, baseUrl, model },
    () => {},
  )
  return adapted
}

const noResponse = translatable("model_no_response")

const messageOf = (error: TextAnswer["error"]): MessageOrText => {
  if (error === null) return noResponse
  const { id, values = {}, message } = error
  return id === undefined ? message : { id, values, text: message }
}

/** Endpoints whose models rejected parameters; the oldest are forgotten. */
const maxRejecting = 500

/** Remembers which endpoints' models reject the parameters of a rewriting. */
const createRejectingEndpoints = () => {
  const known = new Set<string>()
  const keyOf = ({ connection, model }: Endpoint): string => `${connection.config.id} ${model.name}`
  return {
    has: (endpoint: Endpoint | undefined): boolean =>
      endpoint !== undefined && known.has(keyOf(endpoint)),
    add: (endpoint: Endpoint | undefined): void => {
      if (!endpoint) return
      known.add(keyOf(endpoint))
      const [oldest] = known
      if (known.size > maxRejecting && oldest !== undefined) known.delete(oldest)
    },
  }
}

/** Lets models rewrite questions: without collections, tools, or what is stored. */
export const createRewritingModel = ({
  completions,
  catalogue,
}: {
  completions: Completions
  catalogue: ModelCatalogue
}): AskRewritingModel => {
  const rejecting = createRejectingEndpoints()

  const request = async (
    { caller, signal, maxAnswerLength: maxLength, reportCost }: RewritingModelRequest,
    resolved: ResolvedModel,
    fields: Fields,
  ): Promise<TextAnswer> =>
    requestText(completions, { caller, resolved, fields, signal, maxLength, reportCost })

  const requestAdapted = async (
    input: RewritingModelRequest,
    resolved: ResolvedModel,
  ): Promise<TextAnswer> => {
    const { messages } = input
    const [endpoint] = resolved.endpoints
    if (rejecting.has(endpoint)) return request(input, resolved, { messages })
    const fields = { messages, temperature: 0, max_tokens: maxTokens }
    const adapted = endpoint ? adaptTo(endpoint, fields) : fields
    const answer = await request(input, resolved, adapted)
    // Some models reject a temperature or a limit, whatever their names suggest.
    if (!rejectsParameters.has(answer.error?.status ?? 0)) return answer
    const repeated = await request(input, resolved, { messages })
    if (repeated.outcome === "ok") rejecting.add(endpoint)
    return repeated
  }

  return async (input) => {
    const { caller, model, isConfigured } = input
    const principal = isConfigured ? asGateway(caller) : caller
    const resolved = withoutAnswerParams(await catalogue.resolve(principal, model))
    const answer = await requestAdapted(input, resolved)
    if (answer.outcome === "ok") return answer.text
    throw new Failure("upstream_broken", messageOf(answer.error))
  }
}
