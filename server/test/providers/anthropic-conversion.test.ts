import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startAnthropicTestbed } from "./anthropic-testbed.ts"

let testbed: Awaited<ReturnType<typeof startAnthropicTestbed>>

beforeAll(async () => {
  testbed = await startAnthropicTestbed()
})
afterAll(async () => {
  await testbed.gateway.stop()
  await testbed.upstream.close()
})

const ephemeral = { cache_control: { type: "ephemeral" } }
const user = { role: "user", content: "q" }

const chat = (body: object) => testbed.chat({ messages: [user], ...body })
const respond = (body: object) => testbed.respond(body)

describe("images and files of a request to Anthropic", () => {
  const jpeg = { type: "image", source: { type: "base64", media_type: "image/jpeg" } }
  const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf" } }
  const text = { type: "text", media_type: "text/plain", data: "hello" }
  const url = "https://example.com/a.png"
  const svg = "data:image/svg+xml;base64,PHN2Zz4="

  const contentOf = (sent: Record<string, unknown> | null) =>
    Object(Array.isArray(sent?.messages) ? sent.messages[0] : null).content

  it.each<[string, object, object]>([
    [
      "a wrong type",
      { type: "image_url", image_url: { url: "data:image/jpg;base64,/9j/AAAA" } },
      jpeg,
    ],
    ["an address", { type: "image_url", image_url: url }, { source: { type: "url", url } }],
    ["base64", { type: "file", file: { filename: "a.pdf", file_data: "JVBERi0xLjQ=" } }, pdf],
    [
      "text",
      { type: "file", file: { file_data: "data:text/plain;base64,aGVsbG8=" } },
      { type: "document", source: text },
    ],
  ])("are sent as it accepts them from chat completions: %s", async (_what, part, block) => {
    const { sent } = await chat({ messages: [{ role: "user", content: [part] }] })
    expect(contentOf(sent)).toMatchObject([block])
  })

  it.each<[string, object, object]>([
    ["a wrong type", { type: "input_image", image_url: "data:image/jpg;base64,/9j/AAAA" }, jpeg],
    [
      "the form of chat completions",
      { type: "input_image", image_url: { url: "data:image/jpg;base64,/9j/AAAA" } },
      jpeg,
    ],
    ["base64", { type: "input_file", filename: "a.pdf", file_data: "JVBERi0xLjQ=" }, pdf],
    [
      "text",
      { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,aGVsbG8=" },
      { type: "document", source: text },
    ],
  ])("are sent as it accepts them from responses: %s", async (_what, part, block) => {
    const { sent } = await respond({ input: [{ role: "user", content: [part] }] })
    expect(contentOf(sent)).toMatchObject([block])
  })

  it("are refused by name if it does not accept their type", async () => {
    for (const { status, error, sent } of [
      await chat({
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: svg } }] }],
      }),
      await respond({
        input: [{ role: "user", content: [{ type: "input_image", image_url: svg }] }],
      }),
    ]) {
      expect([status, error.code, sent]).toEqual([400, "unsupported_by_model", null])
      expect(error.message).toContain("image/svg+xml")
    }
  })

  it.each(["system", "assistant"])("are refused in messages of the role %s", async (role) => {
    const content = [{ type: "image_url", image_url: { url } }]
    const { status, error, sent } = await chat({ messages: [{ role, content }, user] })
    expect([status, error.code, sent]).toEqual([400, "unsupported_by_model", null])
    expect(error.message).toContain(`of the role "${role}"`)
  })
})

describe("a JSON schema of a request to Anthropic", () => {
  const score = { type: "integer", minimum: 1, maximum: 10 }
  const schema = { type: "object", properties: { score }, required: ["score"] }
  const converted = {
    ...{ type: "object", required: ["score"], additionalProperties: false },
    properties: { score: { type: "integer", description: "minimum: 1, maximum: 10" } },
  }

  it("has its constraints in descriptions", async () => {
    const json_schema = { name: "s", schema, strict: true }
    for (const { sent } of [
      await chat({ response_format: { type: "json_schema", json_schema } }),
      await respond({ text: { format: { type: "json_schema", ...json_schema } } }),
    ]) {
      expect(sent).toMatchObject({ output_config: { format: { schema: converted } } })
    }
  })

  it("is converted for strict tools only", async () => {
    const declare = (name: string, strict: boolean) => ({
      type: "function",
      function: { name, parameters: schema, strict },
    })
    const { sent } = await chat({ tools: [declare("f", true), declare("g", false)] })
    expect(sent?.tools).toEqual([
      { name: "f", input_schema: converted, strict: true },
      { name: "g", input_schema: schema },
    ])
  })

  it.each<[string, object, object]>([
    [
      "conditions",
      { type: "object", properties: { a: score }, anyOf: [{ required: ["a"] }] },
      { properties: { a: score }, description: 'anyOf: [{"required":["a"]}]' },
    ],
    [
      "alternatives",
      { oneOf: [{ properties: { a: score } }, { $ref: "#/$defs/b" }], $defs: { b: schema } },
      { properties: { a: score, score } },
    ],
    [
      "parts",
      { allOf: [schema, { properties: { b: {} } }], required: ["b"] },
      { properties: { score, b: {} }, required: ["b", "score"] },
    ],
    ["a list of types", { type: ["object", "null"], properties: {} }, { properties: {} }],
  ])("is one object for a tool whose parameters have %s", async (_what, parameters, expected) => {
    for (const strict of [false, true]) {
      const { sent } = await chat({
        tools: [{ type: "function", function: { name: "f", parameters, strict } }],
      })
      const [{ input_schema }] = Object(sent).tools
      expect(input_schema).toMatchObject(
        strict ? { type: "object" } : { ...expected, type: "object" },
      )
      for (const name of ["oneOf", "anyOf", "allOf"]) expect(input_schema).not.toHaveProperty(name)
    }
  })

  it("is an object for a tool without parameters", async () => {
    const { sent } = await chat({
      tools: [{ type: "function", function: { name: "f", parameters: {} } }],
    })
    expect(sent?.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: {} } }])
  })
})

describe("a prompt without a message of the user", () => {
  const haiku = [{ type: "text", text: "Write a haiku." }]
  const system = { role: "system", content: "Write a haiku." }
  const blanks = ["", " \n", [], [{ type: "text", text: "" }], [{ type: "text", text: "\t" }]]

  it("is a question if it has instructions", async () => {
    const answered = [
      await chat({ messages: [system] }),
      await chat({ messages: [{ ...system, role: "developer" }] }),
      await chat({ messages: [system, { role: "user", content: "" }] }),
      await respond({ instructions: "Write a haiku.", input: " " }),
      await respond({ input: [{ role: "developer", content: "Write a haiku." }] }),
    ]
    for (const { status, sent } of answered) {
      expect(status).toBe(200)
      expect(sent?.messages).toEqual([{ role: "user", content: haiku }])
      expect(sent).not.toHaveProperty("system")
    }
  })

  it.each(blanks.map((content) => [content]))(
    "is refused if it has no text: %j",
    async (content) => {
      const { status, error, sent } = await chat({ messages: [{ role: "user", content }] })
      expect([status, sent]).toEqual([400, null])
      expect(error.message).toContain("at least one message with content")
    },
  )

  it.each(blanks.map((content) => [content]))("has no blank texts: %j", async (content) => {
    const blank = { role: "user", content }
    const { sent } = await chat({
      messages: [system, blank, user, { role: "assistant", content }, blank],
    })
    expect(sent?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "q" }] }])
    expect(sent?.system).toEqual(haiku)
  })

  it("begins with one if the assistant's comes first", async () => {
    const greeting = { role: "assistant", content: "Welcome!" }
    const { sent } = await chat({ messages: [system, greeting, user] })
    expect(sent?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
    ])
  })

  it.each([
    ["The answer is "],
    [[" ", "The answer is\n", " ", "\t"].map((text) => ({ type: "text", text }))],
  ])("continues an answer without the white space at its end: %j", async (content) => {
    const { sent } = await chat({ messages: [user, { role: "assistant", content }] })
    expect(sent?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: expect.any(Array) },
    ])
    expect(Object(sent).messages[1].content.at(-1)).toEqual({
      ...{ type: "text", text: "The answer is" },
    })
  })
})

it("the words of an earlier refusal are sent to Anthropic", async () => {
  for (const message of [
    { content: null, refusal: "No." },
    { content: [{ type: "refusal", refusal: "No." }] },
    { content: "No.", refusal: "No." },
  ]) {
    const { sent } = await chat({ messages: [user, { role: "assistant", ...message }, user] })
    expect(sent?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "No." }] },
      { role: "user" },
    ])
  }
})

describe("x-portico-dropped of a request to Anthropic", () => {
  it.each<[string, object]>([
    [
      "images",
      {
        messages: [
          user,
          { role: "assistant", content: "Here.", images: [{ type: "image_url" }] },
          user,
        ],
      },
    ],
    [
      "function_call",
      {
        messages: [
          user,
          { role: "assistant", content: "Hm.", function_call: { name: "f", arguments: "{}" } },
          user,
        ],
      },
    ],
    ["name", { messages: [{ ...user, name: "ada" }] }],
    [
      "arguments",
      {
        messages: [
          user,
          {
            role: "assistant",
            tool_calls: [
              { id: "1", type: "function", function: { name: "f", arguments: '{"a":' } },
            ],
          },
          { role: "tool", tool_call_id: "1", content: "x" },
        ],
      },
    ],
    ["cache_control", { messages: [{ role: "user", content: "", ...ephemeral }, user] }],
    ["response_format", { response_format: { type: "json_schema", json_schema: { name: "s" } } }],
  ])("names %s", async (name, body) => {
    expect((await chat(body)).dropped).toBe(name)
  })
})
