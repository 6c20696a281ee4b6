type Events = () => Iterable<string>

const chatEvent = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

const completion = (create: () => Iterable<object>): Events =>
  function* () {
    for (const delta of create()) yield chatEvent(delta)
    yield chatEvent({}, "stop")
    yield "data: [DONE]\n\n"
  }

/** Text of which each character is escaped in JSON, 15 MB of it. */
const escapes = '\n"\\'.repeat(2_500_000)
const cut = (text: string, length: number): string[] =>
  range(Math.ceil(text.length / length)).map((n) => text.slice(n * length, (n + 1) * length))

const annotation = (n: number): object => ({
  type: "url_citation",
  url_citation: { url: `https://example.com/${n}`, title: "x", start_index: 0, end_index: 1 },
})
const call = (n: number, text: string): object => ({
  ...{ index: n, id: `c${n}`, type: "function" },
  function: { name: "f", arguments: text },
})

const values = (count: number): number[][] => Array(count).fill([1])

/** Streams of chat completions, most of them of about 15 MB. */
export const chatStreams: Record<string, Events> = {
  "one-text": completion(() => [{ content: "x".repeat(15_000_000) }]),
  "one-text-of-escapes": completion(() => [{ content: escapes }]),
  "one-reasoning": completion(() => [{ reasoning_content: escapes }]),
  "streamed-escapes": completion(() => cut(escapes, 2000).map((content) => ({ content }))),
  "one-call": completion(() => [
    { tool_calls: [call(0, JSON.stringify({ x: escapes.slice(0, 3_000_000) }))] },
  ]),
  "calls-in-one-event": completion(() => [{ tool_calls: range(79_000).map((n) => call(n, "{}")) }]),
  "streamed-calls": completion(() => range(79_000).map((n) => ({ tool_calls: [call(n, "{}")] }))),
  "annotations-in-one-event": completion(() => [
    { content: "x", annotations: range(60_000).map(annotation) },
  ]),
  "values-in-one-event": completion(() => [{ content: "x", logprobs: values(2_500_000) }]),
  "values-in-arguments": completion(() =>
    cut(JSON.stringify({ x: values(2_500_000) }), 2000).map((text, n) => ({
      tool_calls: [n === 0 ? call(0, text) : { index: 0, function: { arguments: text } }],
    })),
  ),
  images: completion(() => [
    { content: "x", images: [{ image_url: { url: "x".repeat(12_000_000) } }] },
  ]),
}

const messageEvent = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const message = (content_block: object, create: () => Iterable<object>): Events =>
  function* () {
    const started = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] }
    yield messageEvent({ type: "message_start", ...{ message: started } })
    yield messageEvent({ type: "content_block_start", ...{ index: 0, content_block } })
    for (const event of create()) yield messageEvent({ type: "content_block_delta", ...event })
    yield messageEvent({ type: "content_block_stop", ...{ index: 0 } })
    yield messageEvent({
      type: "message_delta",
      ...{ delta: { stop_reason: "end_turn" }, usage: {} },
    })
    yield messageEvent({ type: "message_stop" })
  }

/** Streams of Anthropic's API. */
export const messageStreams: Record<string, Events> = {
  "claude-started-text": message({ type: "text", text: escapes }, () => []),
  "claude-streamed-citations": message({ type: "text", text: "x" }, () =>
    range(60_000).map((n) => ({
      index: 0,
      delta: {
        type: "citations_delta",
        citation: { url: `https://example.com/${n}`, title: "x" },
      },
    })),
  ),
  "claude-input": message(
    { type: "tool_use", id: "t", name: "f", input: { x: values(2_500_000) } },
    () => [],
  ),
}
