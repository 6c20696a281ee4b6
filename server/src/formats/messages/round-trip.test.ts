import { describe, expect, it } from "vitest"
import { type Chooser, createChooser } from "../../../test/harness/random.ts"
import { amount } from "../../../test/harness/short-and-long-form.ts"
import { plainReading } from "../../../test/messages/message-stream.ts"
import type { Fields } from "../json-values.ts"
import { readCompletion } from "../read-completion.ts"
import { decodeMessagesRequest } from "./decode-request.ts"
import { decodeMessage } from "./decode-response.ts"
import { encodeMessagesRequest } from "./encode-request.ts"
import { createMessageEncoder } from "./encode-response.ts"

const seeds = Array.from({ length: amount(300, 5000) }, (_, seed) => seed)

/** Adjacent texts of an answer become one. */
const mergeTexts = (blocks: readonly Fields[], block: Fields): Fields[] => {
  const last = blocks.at(-1)
  if (!(last?.type === "text" && block.type === "text")) return [...blocks, block]
  return [...blocks.slice(0, -1), { ...last, text: `${last.text}${block.text}` }]
}

/** What JSON keeps of a value: without `undefined` members. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const createGenerator = (seed: number) => {
  const chooser: Chooser = createChooser(seed)
  const { below, chance, pick, word } = chooser

  const some = <T>(most: number, create: () => T, least = 0): T[] =>
    Array.from({ length: least + below(most - least + 1) }, create)
  const maybe = (create: () => Fields): Fields => (chance(0.4) ? create() : {})

  /** Texts that are blank are not accepted. */
  const prose = (): string => {
    const pieces = [word(1 + below(8)), "ñ🐝", '"\\', "\n\t", "{", "]", "data:"]
    const text = some(4, () => pick(pieces), 1).join(" ")
    return text.trim() === "" ? `${text}.` : text
  }
  let marks = 0
  /** A request may have four, one of which may be its own. */
  const cacheControl = (): Fields =>
    marks === 3
      ? {}
      : maybe(() => {
          marks++
          return { cache_control: pick([{ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }]) }
        })
  const id = (): string => `toolu_${word(8)}`

  const value = (depth = 2): unknown => {
    const kind = below(depth > 0 ? 6 : 4)
    if (kind === 0) return prose()
    if (kind === 1) return below(1000) - 500
    if (kind === 2) return chance(0.5)
    if (kind === 3) return null
    return kind === 4 ? some(3, () => value(depth - 1)) : object(depth - 1)
  }
  const object = (depth = 2): Fields =>
    Object.fromEntries(some(3, () => [word(4), value(depth)] as const))

  const schema = (depth = 2): Fields =>
    pick<() => Fields>([
      () => ({ type: pick(["string", "integer", "boolean"]), description: prose() }),
      () => ({ enum: [word(3), 1, null] }),
      () => (depth > 0 ? { type: "array", items: schema(depth - 1), minItems: 1 } : {}),
      () => (depth > 0 ? { anyOf: [schema(depth - 1), { type: "null" }] } : {}),
      () => objectSchema(depth - 1),
    ])()
  const objectSchema = (depth = 2): Fields => ({
    ...{ type: "object", additionalProperties: false, required: [word(4)] },
    properties:
      depth > 0 ? Object.fromEntries(some(3, () => [word(4), schema(depth)] as const)) : {},
  })

  const text = (): Fields => ({ type: "text", text: prose(), ...cacheControl() })
  const base64 = (media_type: string): Fields => ({ type: "base64", media_type, data: word(12) })
  const url = (): Fields => ({ type: "url", url: `https://example.com/${word(5)}` })
  const image = (): Fields => ({
    ...{ type: "image", source: chance(0.5) ? base64("image/png") : url() },
    ...cacheControl(),
  })
  const document = (): Fields => ({
    ...{ type: "document", source: chance(0.5) ? base64("application/pdf") : url() },
    ...maybe(() => ({ title: prose() })),
    ...cacheControl(),
  })
  const thinking = (): Fields =>
    chance(0.3)
      ? { type: "redacted_thinking", data: word(10) }
      : { type: "thinking", thinking: chance(0.2) ? "" : prose(), signature: word(10) }
  const toolUse = (): Fields => ({
    ...{ type: "tool_use", id: id(), name: word(5), input: object() },
    ...cacheControl(),
  })
  const toolResult = (): Fields => ({
    ...{ type: "tool_result", tool_use_id: id(), content: some(2, text) },
    ...maybe(() => ({ is_error: true })),
    ...cacheControl(),
  })

  const question = (): Fields => {
    const parts = some(3, () => pick([text, image, document])(), 1)
    return { role: "user", content: [...some(2, toolResult), ...parts] }
  }
  /** Reasoning before, between and after the other blocks, as interleaved thinking has it. */
  const interleave = (blocks: readonly Fields[]): Fields[] => [
    ...some(2, thinking),
    ...blocks.flatMap((block) => [block, ...(chance(0.3) ? some(2, thinking) : [])]),
  ]
  const answer = (): Fields => ({
    role: "assistant",
    content: interleave([...some(3, text, 1), ...some(3, toolUse)]),
  })
  const tool = (): Fields => ({
    ...{ name: word(6), input_schema: objectSchema() },
    ...maybe(() => ({ description: prose() })),
    ...maybe(() => ({ strict: true })),
    ...cacheControl(),
  })
  const toolFields = (): Fields => {
    const tools = some(3, tool, 1)
    const single = maybe(() => ({ disable_parallel_tool_use: true }))
    const choice = pick<Fields>([
      { type: "auto", ...single },
      { type: "any", ...single },
      { type: "tool", name: tools[0]?.name, ...single },
      { type: "none" },
    ])
    return { tools, tool_choice: choice }
  }

  return {
    /** Any request whose parts both formats have, in the order in which they are written. */
    request: (): Fields => ({
      model: word(6),
      max_tokens: 1 + below(9999),
      messages: some(4, () => 0)
        .flatMap(() => [question(), answer()])
        .concat(question()),
      stream: chance(0.5),
      ...maybe(() => ({ system: some(3, text, 1) })),
      ...maybe(toolFields),
      ...maybe(() => ({ temperature: below(11) / 10 })),
      ...maybe(() => ({ top_p: below(11) / 10 })),
      ...maybe(() => ({ top_k: below(100) })),
      ...maybe(() => ({ stop_sequences: some(3, prose, 1) })),
      ...maybe(() => ({ metadata: { user_id: word(100) } })),
      ...maybe(() => ({ cache_control: { type: "ephemeral" } })),
      ...maybe(() => ({
        thinking: pick<Fields>([
          { type: "enabled", budget_tokens: 1024 + below(9999) },
          { type: "adaptive", display: "omitted" },
          { type: "disabled" },
        ]),
      })),
      ...maybe(() => ({
        output_config: pick<Fields>([
          { effort: pick(["low", "medium", "high", "max"]) },
          { format: { type: "json_schema", schema: objectSchema() } },
          { effort: "low", format: { type: "json_schema", schema: objectSchema() } },
        ]),
      })),
    }),

    message: (): Fields => {
      const calls = some(2, toolUse).map(({ cache_control: _hint, ...call }) => call)
      const texts = some(3, () => ({ type: "text", text: prose() }))
      return {
        ...{ id: `msg_${word(8)}`, type: "message", role: "assistant", model: word(6) },
        content: interleave([...texts, ...calls]).reduce(mergeTexts, []),
        ...pick([
          { stop_reason: "max_tokens", stop_sequence: null },
          { stop_reason: "refusal", stop_sequence: null },
          { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
          { stop_reason: "stop_sequence", stop_sequence: prose() },
        ]),
        usage: {
          input_tokens: below(999),
          cache_read_input_tokens: below(999),
          cache_creation_input_tokens: below(999),
          output_tokens: below(999),
        },
      }
    },

    /** The same texts as strings, as clients often write them. */
    abbreviate: ({ system, messages, ...rest }: Fields): Fields => {
      const shorten = (content: unknown): unknown => {
        const [only, ...others] = Array.isArray(content) ? content : []
        const isPlain = only?.type === "text" && !only.cache_control && others.length === 0
        return isPlain ? only.text : content
      }
      const turns = (messages as Fields[]).map((turn) => ({
        ...turn,
        content: shorten(turn.content),
      }))
      return { ...rest, messages: turns, ...(system !== undefined && { system: shorten(system) }) }
    },
  }
}

describe("a message request converted to a canonical prompt and back", () => {
  it("loses nothing that both formats can carry", () => {
    for (const seed of seeds) {
      const generator = createGenerator(seed)
      const request = generator.request()
      const reported: string[] = []
      for (const sent of [request, generator.abbreviate(request)]) {
        const { request: canonical, dropped } = decodeMessagesRequest(sent)
        const model = { name: String(request.model), maxTokens: null, supportsEffort: true }
        const back = encodeMessagesRequest(canonical, model, (name) => void reported.push(name))
        expect(asJson(back), `seed ${seed}`).toEqual(request)
        expect([...dropped, ...reported], `seed ${seed}`).toEqual([])
      }
    }
  })
})

describe("a message converted to a chat completion and back", () => {
  it("loses nothing that both formats can carry", () => {
    const encoder = createMessageEncoder({ request: {}, sourceMembers: () => ({}) })
    for (const seed of seeds) {
      const message = createGenerator(seed).message()
      const answer = readCompletion(
        decodeMessage(message, "another", () => {}),
        plainReading,
      )
      if (!answer) throw new Error("A completion has an answer")
      expect(JSON.parse(encoder.encodeAnswer(answer)), `seed ${seed}`).toMatchObject(message)
    }
  })
})
