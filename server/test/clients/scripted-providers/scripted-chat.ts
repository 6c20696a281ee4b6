import { type JsonObject, listOf, objectOf, textOf } from "../../fakes/json.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
  SSE_DONE,
} from "../../fakes/responses.ts"
import { partsOf, textsOf, userPartsOf } from "./content-parts.ts"
import {
  generateScriptedAnswer,
  mediaTypeOf,
  reasoningText,
  type ScriptedAnswer,
  type ScriptedPrompt,
  splitIntoWords,
} from "./scripted-model.ts"

const mediaTypesOf = (parts: readonly JsonObject[]): string[] =>
  parts.flatMap(({ type, image_url, file }) => {
    if (type === "image_url") return [mediaTypeOf(textOf(objectOf(image_url).url))]
    return type === "file" ? [mediaTypeOf(textOf(objectOf(file).file_data))] : []
  })

const readChatRequest = (body: JsonObject): ScriptedPrompt => {
  const messages = listOf(body.messages).map(objectOf)
  const recent = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
  const parts = userPartsOf(recent)
  const results = recent.filter(({ role }) => role === "tool")
  return {
    model: textOf(body.model),
    isStreamed: body.stream === true,
    text: textsOf(parts),
    mediaTypes: mediaTypesOf(parts),
    toolResults: results.map(({ content }) => textsOf(partsOf(content))),
    tools: listOf(body.tools).map((tool) => textOf(objectOf(objectOf(tool).function).name)),
    mustCallTool: body.tool_choice === "required" || "function" in objectOf(body.tool_choice),
    hasSchema: objectOf(body.response_format).type === "json_schema",
    hasReasoning: messages.some(({ reasoning_content }) => reasoning_content === reasoningText),
  }
}

const usage: JsonObject = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

const headOf = ({ model }: ScriptedPrompt, object: string): JsonObject => ({
  ...{ id: "chatcmpl-scripted", object, created: 1_750_000_000, model },
})

const finishReasonOf = ({ call }: ScriptedAnswer): string => (call ? "tool_calls" : "stop")

/** Of the call, if the model does not say another. */
const defaultCallId = "call_scripted"

const toMessage = ({ reasoning, text, call }: ScriptedAnswer): JsonObject => ({
  role: "assistant",
  content: text,
  ...(reasoning !== "" && { reasoning_content: reasoning }),
  ...(call && {
    tool_calls: [
      {
        id: call.id ?? defaultCallId,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.input) },
      },
    ],
  }),
})

const toDeltas = ({ reasoning, text, call }: ScriptedAnswer): JsonObject[] => {
  const started = { index: 0, id: call?.id ?? defaultCallId, type: "function" }
  const calls = call
    ? [
        { ...started, function: { name: call.name, arguments: "" } },
        ...splitIntoWords(JSON.stringify(call.input)).map((piece) => ({
          index: 0,
          function: { arguments: piece },
        })),
      ]
    : []
  return [
    { role: "assistant", content: "" },
    ...splitIntoWords(reasoning).map((piece) => ({ reasoning_content: piece })),
    ...splitIntoWords(text).map((piece) => ({ content: piece })),
    ...calls.map((piece) => ({ tool_calls: [piece] })),
  ]
}

function* createFrames(prompt: ScriptedPrompt, answer: ScriptedAnswer) {
  const head = headOf(prompt, "chat.completion.chunk")
  for (const delta of toDeltas(answer)) {
    yield formatSseEvent({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })
  }
  const end = { index: 0, delta: {}, finish_reason: finishReasonOf(answer) }
  yield formatSseEvent({ ...head, choices: [end] })
  yield formatSseEvent({ ...head, choices: [], usage })
  yield SSE_DONE
}

/** Creates the answer to POST /v1/chat/completions, as a model generates it. */
export const createChatAnswer =
  (generate: (prompt: ScriptedPrompt, body: JsonObject) => ScriptedAnswer) =>
  (body: JsonObject): FakeResponse => {
    const prompt = readChatRequest(body)
    const answer = generate(prompt, body)
    if (prompt.isStreamed) return eventStreamResponse(createFrames(prompt, answer), 0)
    const finish_reason = finishReasonOf(answer)
    return jsonResponse(200, {
      ...headOf(prompt, "chat.completion"),
      choices: [{ index: 0, message: toMessage(answer), finish_reason }],
      usage,
    })
  }

/** POST /v1/chat/completions */
export const answerChatRequest = createChatAnswer(generateScriptedAnswer)
