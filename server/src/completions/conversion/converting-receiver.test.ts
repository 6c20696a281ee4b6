import { describe, expect, it } from "vitest"
import type { ResponseReceiver } from "../../connections/response-receiver.ts"
import { createCompletionFormatter } from "../../formats/chat-completion.ts"
import { chatEncoder } from "../../formats/chat-encoder.ts"
import { textOf } from "../../formats/json-values.ts"
import { createFormatConverter } from "../../formats/response-converter.ts"
import type { ChatFormat, ProviderModel } from "../../providers/provider.ts"
import { createChatDecoder } from "./chat-decoder.ts"
import { ConvertingReceiver } from "./converting-receiver.ts"

const noReports = { dropped: () => {}, usage: () => {} }

const model: ProviderModel = {
  ...{ name: "polly", created: 0, owned_by: "parrot", capabilities: {} },
  ...{ context_length: null, digest: null, listing: null },
}

/** A made-up format, whose responses do not name their model. */
const format: ChatFormat = {
  encodeRequest: () => ({}),
  decodeResponse: ({ says }, { name }) =>
    createCompletionFormatter(name, "c1").completion({ content: textOf(says) }, "stop", {}),
  createStreamDecoder: ({ name }) => {
    const formatter = createCompletionFormatter(name, "c1")
    return ({ says, stopped }) =>
      stopped === true ? [null] : [formatter.deltaChunk({ content: textOf(says) })]
  },
  decodeError: ({ squawk }) => (typeof squawk === "string" ? { message: squawk } : null),
}

const immediateTurns = { wait: (_cost: number, start: () => void) => start() }

const receive = (status: number, contentType: string, chunks: readonly Buffer[]) => {
  let headers: readonly string[] = []
  let body = ""
  const receiver: ResponseReceiver = {
    attach: () => {},
    onAttemptSelected: () => {},
    onListenerError: () => {},
    stop: () => {},
    onHead: (_status, rawHeaders) => {
      headers = rawHeaders
    },
    onData: (chunk) => {
      body += chunk.toString()
      return true
    },
    onEnd: () => {},
    onError: (error) => {
      throw error
    },
  }
  const decoder = createChatDecoder(format, model, noReports)
  const converter = createFormatConverter(decoder, chatEncoder)
  const response = new ConvertingReceiver(receiver, converter, immediateTurns)
  response.onHead(status, ["Content-Type", contentType, "x-other", "kept"])
  for (const chunk of chunks) response.onData(chunk)
  response.onEnd()
  return { headers, body }
}

const textsOf = (events: string): string[] =>
  events
    .split("\n\n")
    .filter((event) => event.includes("{"))
    .map((event) => JSON.parse(event.slice("data: ".length)).choices[0].delta.content)

describe("a response in a provider's own format", () => {
  const bytes = Buffer.from('{"says":"Hel"}\r\n{"says":"lö!"}\n{"stopped":true}')

  it.each([1, 2, 3, 7, bytes.length])(
    "is streamed as events if it has one JSON object per line, in pieces of %d bytes",
    (size) => {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const { headers, body } = receive(200, "application/x-ndjson; charset=utf-8", chunks)
      expect(headers).toEqual(["Content-Type", "text/event-stream", "x-other", "kept"])
      expect(textsOf(body)).toEqual(["Hel", "lö!"])
      expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
    },
  )

  it("is decoded with the model that answers", () => {
    const { body } = receive(200, "application/json", [Buffer.from('{"says":"Hello"}')])
    expect(JSON.parse(body)).toMatchObject({
      ...{ object: "chat.completion", model: "polly" },
      choices: [{ message: { role: "assistant", content: "Hello" } }],
    })
  })

  it("has its errors decoded, and others passed on as they are", () => {
    const decoded = receive(500, "application/json", [Buffer.from('{"squawk":"no seeds"}')])
    expect(JSON.parse(decoded.body)).toEqual({ error: { message: "no seeds" } })
    const other = '{"error":"from a proxy"}'
    expect(receive(502, "application/json", [Buffer.from(other)]).body).toBe(other)
  })
})
