import { randomUUID } from "node:crypto"
import { type Json, type JsonObject, listOf, objectOf, textOf } from "../../fakes/json.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
} from "../../fakes/responses.ts"
import { partsOf, textsOf, userPartsOf } from "./content-parts.ts"
import {
  generateScriptedAnswer,
  mediaTypeOf,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedPrompt,
  splitIntoWords,
} from "./scripted-model.ts"

/** Ids are unique, as the gateway stores items by them. */
const createId = (prefix: string): string => `${prefix}_${randomUUID()}`

const encryptedReasoning = "scripted-reasoning"

const mediaTypesOf = (parts: readonly JsonObject[]): string[] =>
  parts.flatMap(({ type, image_url, file_data }) => {
    if (type === "input_image") return [mediaTypeOf(textOf(image_url))]
    return type === "input_file" ? [mediaTypeOf(textOf(file_data))] : []
  })

const itemsOf = (input: Json | undefined): JsonObject[] =>
  typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(objectOf)

const isOfModel = ({ type, role }: JsonObject): boolean =>
  role === "assistant" || type === "function_call" || type === "reasoning"

const separator = "__"

/** Tools of a namespace are named with it, which makes their names unique. */
const toolNamesOf = ({ type, name, tools }: JsonObject): string[] =>
  type === "namespace"
    ? listOf(tools).map((tool) => `${textOf(name)}${separator}${textOf(objectOf(tool).name)}`)
    : [textOf(name)]

const readResponsesRequest = (body: JsonObject): ScriptedPrompt => {
  const items = itemsOf(body.input)
  const recent = items.slice(items.findLastIndex(isOfModel) + 1)
  const results = recent
    .filter(({ type }) => type === "function_call_output")
    .map(({ output }) => partsOf(output))
  const parts = userPartsOf(recent)
  return {
    model: textOf(body.model),
    isStreamed: body.stream === true,
    text: textsOf(parts),
    mediaTypes: mediaTypesOf([...parts, ...results.flat()]),
    toolResults: results.map(textsOf),
    tools: listOf(body.tools).map(objectOf).flatMap(toolNamesOf),
    mustCallTool: body.tool_choice === "required" || "name" in objectOf(body.tool_choice),
    hasSchema: objectOf(objectOf(body.text).format).type === "json_schema",
    hasReasoning: items.some(({ encrypted_content }) => encrypted_content === encryptedReasoning),
  }
}

const usage: JsonObject = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 30,
}

const toSummary = (text: string): JsonObject => ({ type: "summary_text", text })
const toTextPart = (text: string): JsonObject => ({ type: "output_text", text, annotations: [] })

const toCallItem = ({ name, input }: ScriptedCall): JsonObject => {
  const parts = name.split(separator)
  return {
    ...{
      type: "function_call",
      id: createId("fc"),
      call_id: createId("call"),
      status: "completed",
    },
    ...(parts.length > 1 && { namespace: parts[0] ?? "" }),
    name: parts.at(-1) ?? "",
    arguments: JSON.stringify(input),
  }
}

const toItems = ({ reasoning, text, call }: ScriptedAnswer): JsonObject[] => {
  const message = { type: "message", id: createId("msg"), role: "assistant", status: "completed" }
  return [
    ...(reasoning === ""
      ? []
      : [
          {
            type: "reasoning",
            id: createId("rs"),
            summary: [toSummary(reasoning)],
            encrypted_content: encryptedReasoning,
          },
        ]),
    { ...message, content: [toTextPart(text)] },
    ...(call ? [toCallItem(call)] : []),
  ]
}

const toResponse = ({ model }: ScriptedPrompt, output: JsonObject[]): JsonObject => ({
  id: createId("resp"),
  object: "response",
  created_at: 1_750_000_000,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage,
})

/** The item as it starts, and the events that complete it, as their types and members. */
const toItemEvents = (item: JsonObject): [JsonObject, [type: string, members: JsonObject][]] => {
  if (item.type === "reasoning") {
    const part = objectOf(listOf(item.summary)[0])
    const at = { summary_index: 0 }
    return [
      { ...item, summary: [], encrypted_content: null },
      [
        ["reasoning_summary_part.added", { ...at, part: toSummary("") }],
        ...splitIntoWords(textOf(part.text)).map((delta): [string, JsonObject] => [
          "reasoning_summary_text.delta",
          { ...at, delta },
        ]),
        ["reasoning_summary_text.done", { ...at, text: part.text ?? "" }],
        ["reasoning_summary_part.done", { ...at, part }],
      ],
    ]
  }
  if (item.type === "message") {
    const part = objectOf(listOf(item.content)[0])
    const at = { content_index: 0 }
    return [
      { ...item, status: "in_progress", content: [] },
      [
        ["content_part.added", { ...at, part: toTextPart("") }],
        ...splitIntoWords(textOf(part.text)).map((delta): [string, JsonObject] => [
          "output_text.delta",
          { ...at, delta, logprobs: [] },
        ]),
        ["output_text.done", { ...at, text: part.text ?? "", logprobs: [] }],
        ["content_part.done", { ...at, part }],
      ],
    ]
  }
  const args = textOf(item.arguments)
  return [
    { ...item, status: "in_progress", arguments: "" },
    [
      ["function_call_arguments.delta", { delta: args }],
      ["function_call_arguments.done", { name: item.name ?? "", arguments: args }],
    ],
  ]
}

function* createFrames(prompt: ScriptedPrompt, items: JsonObject[]) {
  let sequence_number = 0
  const format = (name: string, members: JsonObject): string => {
    const type = `response.${name}`
    return formatSseEvent({ type, sequence_number: sequence_number++, ...members }, type)
  }
  const response = toResponse(prompt, items)
  const started = { ...response, status: "in_progress", output: [], usage: null }
  yield format("created", { response: started })
  yield format("in_progress", { response: started })
  for (const [output_index, item] of items.entries()) {
    const [begun, events] = toItemEvents(item)
    yield format("output_item.added", { output_index, item: begun })
    for (const [name, members] of events) {
      yield format(name, { item_id: item.id ?? "", output_index, ...members })
    }
    yield format("output_item.done", { output_index, item })
  }
  yield format("completed", { response })
}

/** POST /v1/responses */
export const answerResponsesRequest = (body: JsonObject): FakeResponse => {
  const prompt = readResponsesRequest(body)
  const items = toItems(generateScriptedAnswer(prompt))
  if (!prompt.isStreamed) return jsonResponse(200, toResponse(prompt, items))
  return eventStreamResponse(createFrames(prompt, items), 0)
}
