import { type JsonObject, objectOf } from "../../fakes/json.ts"
import { type FakeResponse, jsonResponse } from "../../fakes/responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "../../fakes/upstream.ts"
import { answerChatRequest } from "./scripted-chat.ts"
import { answerMessagesRequest } from "./scripted-messages.ts"
import { answerResponsesRequest } from "./scripted-responses.ts"
import { answerSessionRequest } from "./scripted-session.ts"

type Answer = (body: JsonObject) => FakeResponse

interface ProviderOptions {
  models: JsonObject
  answers: Record<string, Answer>
}

const startProvider = ({ models, answers }: ProviderOptions): Promise<FakeUpstream> => {
  const respond = ({ method, path, json }: RecordedRequest): FakeResponse => {
    if (method === "GET" && path === "/v1/models") return jsonResponse(200, models)
    const answer = answers[path]
    const error = { type: "not_found_error", message: "Not Found", code: null, param: null }
    if (method !== "POST" || !answer) return jsonResponse(404, { type: "error", error })
    const body = objectOf(json)
    // As real providers do, so that the gateway can find out what the provider offers.
    if (!("model" in body)) return jsonResponse(400, { error: { ...error, message: "no model" } })
    return answer(body)
  }
  return startFakeUpstream({ respond })
}

const createModelList = (...ids: string[]): JsonObject => ({
  object: "list",
  data: ids.map((id) => ({
    ...{ id, object: "model", created: 1_750_000_000, owned_by: "scripted" },
  })),
})

const createAnthropicModelList = (id: string): JsonObject => ({
  data: [{ type: "model", id, display_name: id, created_at: "2026-02-04T00:00:00Z" }],
  ...{ has_more: false, first_id: id, last_id: id },
})

/** Starts a provider that has only chat completions, as most servers for open models do. */
export const startChatProvider = (model: string): Promise<FakeUpstream> =>
  startProvider({
    models: createModelList(model),
    answers: { "/v1/chat/completions": answerChatRequest },
  })

/** Starts a provider that has only chat completions; its models call a tool in each turn. */
export const startSessionProvider = (models: readonly string[]): Promise<FakeUpstream> =>
  startProvider({
    models: createModelList(...models),
    answers: { "/v1/chat/completions": answerSessionRequest },
  })

/** Starts a provider that has chat completions and the Responses API, as OpenAI does. */
export const startResponsesProvider = (model: string): Promise<FakeUpstream> =>
  startProvider({
    models: createModelList(model),
    answers: {
      "/v1/chat/completions": answerChatRequest,
      "/v1/responses": answerResponsesRequest,
    },
  })

/** Starts a provider that has the Messages API, as Anthropic does. */
export const startMessagesProvider = (model: string): Promise<FakeUpstream> =>
  startProvider({
    models: createAnthropicModelList(model),
    answers: { "/v1/messages": answerMessagesRequest },
  })
