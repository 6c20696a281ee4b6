import { describe, expect, it } from "vitest"
import { createChooser } from "../../../test/harness/random.ts"
import { amount } from "../../../test/harness/short-and-long-form.ts"
import { plainReading } from "../../../test/messages/message-stream.ts"
import {
  createResponseConverter,
  readResponseStream,
  withoutIds,
} from "../../../test/responses/response-stream.ts"
import { type Fields, objectsIn } from "../json-values.ts"
import { decodeMessagesRequest } from "../messages/decode-request.ts"
import { encodeMessagesRequest } from "../messages/encode-request.ts"
import { readCompletion } from "../read-completion.ts"
import { joinPieces } from "../sse-events.ts"
import { decodeResponsesRequest } from "./decode-request.ts"
import { createResponseEncoder } from "./encode-response.ts"
import { encodeReasoning } from "./reasoning.ts"

const seeds = Array.from({ length: amount(300, 5000) }, (_, seed) => seed)
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value))

const createGenerator = (seed: number) => {
  const { below, chance, pick, word } = createChooser(seed)
  const some = <T>(most: number, create: () => T, least = 0): T[] =>
    Array.from({ length: least + below(most - least + 1) }, create)
  const maybe = (create: () => Fields): Fields => (chance(0.4) ? create() : {})
  /** Texts that are blank are not accepted. */
  const prose = (): string => {
    const pieces = [word(1 + below(8)), "ñ🐝", '"\\', "\n\t", "{", "data:"]
    const text = some(4, () => pick(pieces), 1).join(" ")
    return text.trim() === "" ? `${text}.` : text
  }
  const args = (): Fields =>
    Object.fromEntries(some(3, () => [word(4), pick<unknown>([prose(), below(99), null, [1]])]))

  let marks = 0
  /** A request may have four. */
  const cacheControl = (): Fields =>
    marks === 4
      ? {}
      : maybe(() => {
          marks++
          return { cache_control: { type: "ephemeral" } }
        })
  const schema = (): Fields => {
    const properties = Object.fromEntries(
      some(3, () => [word(4), { type: "string", title: prose() }] as const),
    )
    const required = Object.keys(properties)
    return { type: "object", additionalProperties: false, required, properties }
  }

  const textPart = (): Fields => ({ type: "input_text", text: prose(), ...cacheControl() })
  const imagePart = (): Fields => ({
    ...{ type: "input_image", ...cacheControl() },
    image_url: pick([`data:image/png;base64,${word(8)}`, `https://example.com/${word(5)}`]),
  })
  const filePart = (): Fields => ({
    ...{ type: "input_file", filename: `${word(5)}.pdf` },
    file_data: `data:application/pdf;base64,${word(8)}`,
    ...cacheControl(),
  })
  const detail = () =>
    chance(0.3)
      ? { type: "reasoning.encrypted" as const, data: word(8) }
      : { type: "reasoning.text" as const, text: prose(), signature: word(8) }
  const reasoning = (): Fields => ({
    ...{ type: "reasoning", id: `rs_${word(5)}`, summary: [] },
    encrypted_content: encodeReasoning(detail()),
  })
  const callItem = (): Fields => {
    const call_id = `call_${word(8)}`
    return chance(0.3)
      ? { type: "custom_tool_call", call_id, name: word(5), input: prose() }
      : {
          ...{ type: "function_call", call_id, name: word(5), arguments: JSON.stringify(args()) },
          ...cacheControl(),
          ...maybe(() => ({ namespace: word(4) })),
        }
  }
  const question = (): Fields[] => [
    { role: "user", content: some(3, () => pick([textPart, imagePart, filePart])(), 1) },
  ]
  const answer = (): Fields[] => {
    const calls = some(2, callItem)
    const results = calls.map(({ type, call_id }) => ({
      ...{ type: `${type}_output`, call_id, output: prose() },
      ...cacheControl(),
    }))
    const content = [{ type: "output_text", text: prose(), annotations: [] }]
    return [
      ...some(2, reasoning),
      { type: "message", role: "assistant", content },
      ...calls,
      ...results,
    ]
  }
  const functionTool = (): Fields => ({
    ...{ type: "function", name: word(6), parameters: schema() },
    ...cacheControl(),
    ...maybe(() => ({ description: prose() })),
    ...maybe(() => ({ strict: true })),
  })
  const tool = (): Fields =>
    pick<() => Fields>([
      functionTool,
      () => ({ type: "custom", name: word(6), description: prose() }),
      () => ({ type: "namespace", name: word(4), tools: some(2, functionTool, 1) }),
    ])()
  const toolFields = (): Fields => {
    const named = functionTool()
    return {
      tools: [named, ...some(2, tool)],
      tool_choice: pick<unknown>(["auto", "required", { type: "function", name: named.name }]),
      ...maybe(() => ({ parallel_tool_calls: false })),
    }
  }

  return {
    /** Any request whose parts both formats have. */
    request: (): Fields => ({
      ...{ model: word(6), stream: chance(0.5), max_output_tokens: 1 + below(9999) },
      input: [...some(3, () => 0).flatMap(() => [...question(), ...answer()]), ...question()],
      ...maybe(() => ({ instructions: prose() })),
      ...maybe(toolFields),
      ...maybe(() => ({ temperature: below(11) / 10 })),
      ...maybe(() => ({ top_p: below(11) / 10 })),
      ...maybe(() => ({ user: word(20) })),
      ...maybe(() => ({ reasoning: { effort: pick(["low", "medium", "high"]) } })),
      ...maybe(() => ({
        text: { format: { type: "json_schema", name: "output", schema: schema(), strict: true } },
      })),
    }),

    completion: (): Fields => {
      const calls = some(2, callItem).map(({ call_id, name }) => ({
        ...{ id: call_id, type: "function" },
        function: { name, arguments: JSON.stringify(args()) },
      }))
      const details = some(3, detail)
      const message = {
        ...{ role: "assistant", content: prose(), reasoning_details: details },
        ...(calls.length > 0 && { tool_calls: calls }),
      }
      const reason = calls.length > 0 ? "tool_calls" : pick(["stop", "length", "content_filter"])
      return {
        ...{ id: word(8), model: word(6), choices: [{ message, finish_reason: reason }] },
        usage: { prompt_tokens: below(99), completion_tokens: below(99) },
      }
    },
  }
}

const toParts = (content: unknown): unknown =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

/** The same prompt, however its texts are written. */
const normalize = ({ messages, ...request }: Fields): unknown => ({
  ...request,
  messages: objectsIn(messages).map(({ content, tool_calls, ...message }) => ({
    ...message,
    content: toParts(content),
    ...(tool_calls !== undefined && {
      tool_calls: objectsIn(tool_calls).map(({ function: called, ...call }) => ({
        ...call,
        function: { ...Object(called), arguments: JSON.parse(Object(called).arguments) },
      })),
    }),
  })),
})

describe("a request of the Responses API that becomes one of the Messages API", () => {
  it("loses nothing that both formats can carry", () => {
    for (const seed of seeds) {
      const request = createGenerator(seed).request()
      const { request: canonical, dropped } = decodeResponsesRequest(request)
      const reported: string[] = []
      const model = { name: String(request.model), maxTokens: null, supportsEffort: true }
      const encoded = encodeMessagesRequest(canonical, model, (name) => void reported.push(name))
      const back = decodeMessagesRequest(asJson(encoded))
      expect(normalize(asJson(back.request)), `seed ${seed}`).toEqual(normalize(asJson(canonical)))
      expect([...dropped, ...reported, ...back.dropped], `seed ${seed}`).toEqual([])
    }
  })
})

/** The deltas of a streamed completion, with texts and arguments in two pieces. */
const toChunks = (completion: Fields): Fields[] => {
  const [choice = {}] = objectsIn(completion.choices)
  const message = Object(choice.message)
  const halves = (text: string): string[] => [text.slice(0, 3), text.slice(3)]
  const deltas: Fields[] = [
    ...objectsIn(message.reasoning_details).flatMap(({ type, text, signature, data }): Fields[] =>
      type === "reasoning.encrypted"
        ? [{ reasoning_details: [{ type, data }] }]
        : [{ reasoning: text }, { reasoning_details: [{ type, signature }] }],
    ),
    ...halves(message.content).map((content) => ({ content })),
    ...objectsIn(message.tool_calls).flatMap((call, index) =>
      halves(Object(call.function).arguments).map((piece, at) => ({
        tool_calls: [
          {
            index,
            ...(at === 0 && { id: call.id }),
            function: { ...(at === 0 && { name: Object(call.function).name }), arguments: piece },
          },
        ],
      })),
    ),
  ]
  const { id, model, usage } = completion
  const chunk = (delta: Fields, finish_reason: unknown): Fields => ({
    ...{ id, model, choices: [{ index: 0, delta, finish_reason }] },
  })
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, choice.finish_reason),
    { id, model, choices: [], usage },
  ]
}

describe("an answer converted to a response", () => {
  const encoder = createResponseEncoder({ request: {}, sourceMembers: () => ({}) })

  it("is the same when it comes back as input", () => {
    for (const seed of seeds) {
      const completion = createGenerator(seed).completion()
      const answer = readCompletion(completion, plainReading)
      if (!answer) throw new Error("A completion has an answer")
      const { output } = JSON.parse(encoder.encodeAnswer(answer))
      const { request, dropped } = decodeResponsesRequest({ model: "m", input: asJson(output) })
      const [choice = {}] = objectsIn(completion.choices)
      const { reasoning_details, ...message } = Object(choice.message)
      const details = reasoning_details.length > 0 ? { reasoning_details } : {}
      expect(request.messages, `seed ${seed}`).toEqual([{ ...message, ...details }])
      expect(dropped, `seed ${seed}`).toEqual([])
    }
  })

  it("is the same when it is streamed", () => {
    for (const seed of seeds) {
      const completion = createGenerator(seed).completion()
      const answer = readCompletion(completion, plainReading)
      if (!answer) throw new Error("A completion has an answer")
      const converter = createResponseConverter()
      const chunks = toChunks(completion).map((chunk) => JSON.stringify(chunk))
      const events = [...chunks, "[DONE]"].map((data) => joinPieces(converter.convertEvent(data)))
      const text = events.join("")
      const streamed = withoutIds(readResponseStream(text))
      expect(streamed, `seed ${seed}`).toEqual(withoutIds(JSON.parse(encoder.encodeAnswer(answer))))
    }
  })
})
