import { expect, it } from "vitest"
import { convertWholeAnswer } from "./convert-whole-answer.ts"

it("returns the counts of a provider's usage, however large the usage is", () => {
  const usage = {
    ...{ input_tokens: 11, output_tokens: 7, cache_creation_input_tokens: 100 },
    cache_creation: { ephemeral_1h_input_tokens: 60, members: Array(100_000).fill({ a: 1 }) },
  }
  const message = {
    ...{ id: "m", type: "message", role: "assistant", model: "c", stop_reason: "end_turn", usage },
    content: [{ type: "text", text: "Hi" }],
  }
  const model = {
    ...{ name: "c", created: 0, owned_by: "", capabilities: {}, context_length: null },
    ...{ digest: null, listing: {} },
  }
  const converted = convertWholeAnswer({
    bytes: Buffer.from(JSON.stringify(message)),
    providerFormat: { kind: "anthropic", model },
    client: null,
  })
  expect(converted.counts).toMatchObject([
    { tokens_in: 111, tokens_out: 7, tokens_cache_write: 100, tokens_cache_write_1h: 60 },
  ])
  // What a thread returns is read on the event loop.
  expect(JSON.stringify(converted).length).toBeLessThan(10_000)
})
