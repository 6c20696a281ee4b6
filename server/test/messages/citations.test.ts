import { afterEach, describe, expect, it } from "vitest"
import type { JsonObject } from "../fakes/json.ts"
import {
  chatModel,
  claudeModel,
  hello,
  requestTo,
  testbed,
  useMessagesTestbed,
} from "./messages-testbed.ts"

useMessagesTestbed()
afterEach(() => testbed.reset())

const url_citation = { url: "https://example.com", title: "Ex", start_index: 0, end_index: 2 }
const annotations = [{ type: "url_citation", url_citation }]
const citation = {
  ...{ type: "web_search_result_location", url: "https://example.com", title: "Ex" },
  ...{ cited_text: "", encrypted_index: "" },
}

describe("annotations of a chat model", () => {
  it.each([false, true])("become citations of the text (stream: %s)", async (streamed) => {
    testbed.answer(streamed, { message: { content: "ok", annotations } })
    const params = { model: chatModel, max_tokens: 100, messages: hello }
    const { content } = streamed
      ? await testbed.client.messages.stream(params).finalMessage()
      : await testbed.client.messages.create(params)
    expect(content).toEqual([{ type: "text", text: "ok", citations: [citation] }])
  })

  const forms: [string, JsonObject, JsonObject][] = [
    [
      "in the form of the Responses API",
      { annotations: [{ type: "url_citation", ...url_citation }] },
      {},
    ],
    ["as a list of addresses", { citations: ["https://example.com"] }, { title: "" }],
  ]
  it.each(forms)("are read %s", async (_form, members, other) => {
    for (const streamed of [false, true]) {
      testbed.answer(streamed, { message: { content: "ok", ...members } })
      const params = { model: chatModel, max_tokens: 100, messages: hello }
      const { content } = streamed
        ? await testbed.client.messages.stream(params).finalMessage()
        : await testbed.client.messages.create(params)
      const citations = [{ ...citation, ...other }]
      expect(content).toEqual([{ type: "text", text: "ok", citations }])
    }
  })

  it("are read once from search results beside the answer, which chunks repeat", async () => {
    const found = { search_results: [{ title: "Ex", url: "https://example.com" }] }
    const [ok, end] = [{ content: "ok" }, {}].map((delta, at) => ({
      ...found,
      choices: [{ index: 0, delta, message: delta, finish_reason: at === 1 ? "stop" : null }],
    }))
    const events = [ok, end].map((event) => `data: ${JSON.stringify(event)}\n\n`)
    const headers = { "content-type": "text/event-stream" }
    testbed.replyWith(`${events.join("")}data: [DONE]\n\n`, headers)
    const params = { model: chatModel, max_tokens: 100, messages: hello }
    const streamed = await testbed.client.messages.stream(params).finalMessage()
    testbed.replyWith(JSON.stringify(ok))
    const whole = await testbed.client.messages.create(params)
    for (const { content } of [streamed, whole])
      expect(content).toEqual([{ type: "text", text: "ok", citations: [citation] }])
  })

  it("are not sent to Anthropic, which would reject them", async () => {
    const own = { ...citation, encrypted_index: "E" }
    const content = [{ type: "text", text: "ok", citations: [citation, own] }]
    const messages = [...hello, { role: "assistant", content }, ...hello]
    await testbed.send({ ...requestTo(claudeModel), messages })
    expect(testbed.anthropic.lastBody().messages[1]?.content).toEqual([
      { type: "text", text: "ok", citations: [own] },
    ])
  })

  it("may return to the model without a note", async () => {
    const content = [{ type: "text", text: "ok", citations: [citation] }]
    const messages = [...hello, { role: "assistant", content }, ...hello]
    const { status, headers } = await testbed.send({ ...requestTo(chatModel), messages })
    expect([status, headers.get("x-portico-dropped")]).toEqual([200, null])
  })
})
