import type { ServerResponse } from "node:http"

/** Where the upstream breaks off its reply. */
export type BreakPoint =
  /** Before the status line. */
  | "before the head"
  /** After the head, before any byte of the body. */
  | "after the head"
  /** After the whole body given here, without ending the response. */
  | "after the body"

/** A provider's reply, as its bytes arrive. */
export interface RecordedReply {
  name: string
  /** The request's `stream`. */
  streamed: boolean
  status: number
  contentType: string
  body: string
  broken?: BreakPoint
}

const sse = "text/event-stream"
const json = "application/json"

const chunk = (fields: object): string =>
  JSON.stringify({
    id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
    object: "chat.completion.chunk",
    created: 1_741_569_952,
    model: "m-2025-08-06",
    ...fields,
  })
const choice = (delta: object, finish_reason: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
const events = (...data: string[]): string => data.map((one) => `data: ${one}\n\n`).join("")

const opening = choice({ role: "assistant", content: "", refusal: null })
const greeting = [choice({ content: "Hello" }), choice({ content: " wörld" })]
const stop = choice({}, "stop")
const usage = {
  prompt_tokens: 19,
  completion_tokens: 10,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
}
const usageChunk = chunk({ choices: [], usage })
const done = "[DONE]"

const completion = (message: object, finish_reason = "stop", fields: object = { usage }): string =>
  JSON.stringify({
    id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    object: "chat.completion",
    created: 1_741_569_952,
    model: "m-2025-08-06",
    choices: [
      {
        index: 0,
        message: { role: "assistant", refusal: null, ...message },
        logprobs: null,
        finish_reason,
      },
    ],
    ...fields,
  })

const weatherCall = {
  id: "call_abc123",
  type: "function",
  function: { name: "get_weather", arguments: '{"location":"Boston, MA"}' },
}
const toolCallPiece = (fields: object): string => choice({ tool_calls: [{ index: 0, ...fields }] })

const streamed = (
  name: string,
  body: string,
  more: Partial<RecordedReply> = {},
): RecordedReply => ({
  name,
  streamed: true,
  status: 200,
  contentType: sse,
  body,
  ...more,
})
const whole = (name: string, body: string, more: Partial<RecordedReply> = {}): RecordedReply => ({
  name,
  streamed: false,
  status: 200,
  contentType: json,
  body,
  ...more,
})

/** Replies in the forms that OpenAI, Ollama, DeepSeek, vLLM and proxies send. */
export const recordedReplies: readonly RecordedReply[] = [
  streamed("streamed", events(opening, ...greeting, stop, usageChunk, done)),
  streamed("streamed-without-usage", events(opening, ...greeting, stop, done)),
  streamed(
    "streamed-usage-in-last-chunk",
    [
      events(...greeting),
      events(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage })),
      events(done),
    ].join(""),
  ),
  streamed(
    "streamed-with-windows-line-ends",
    events(opening, ...greeting, stop, usageChunk, done).replaceAll("\n", "\r\n"),
  ),
  streamed(
    "streamed-with-comments",
    `: OPENROUTER PROCESSING\n\n${events(...greeting)}: ping\n\n${events(stop, done)}`,
  ),
  streamed(
    "streamed-tool-call",
    events(
      choice({
        role: "assistant",
        content: null,
        tool_calls: [
          { index: 0, ...weatherCall, function: { name: "get_weather", arguments: "" } },
        ],
      }),
      toolCallPiece({ function: { arguments: '{"location":' } }),
      toolCallPiece({ function: { arguments: '"Boston, MA"}' } }),
      choice({}, "tool_calls"),
      usageChunk,
      done,
    ),
  ),
  streamed(
    "streamed-reasoning",
    events(
      choice({ role: "assistant", content: null, reasoning_content: "They greet" }),
      choice({ content: null, reasoning_content: " me." }),
      ...greeting,
      stop,
      usageChunk,
      done,
    ),
  ),
  streamed(
    "streamed-think-tags",
    events(choice({ content: "<think>\nThey greet me.\n</think>\n\n" }), ...greeting, stop, done),
  ),
  streamed("streamed-length", events(...greeting, choice({}, "length"), usageChunk, done)),
  streamed("streamed-without-terminator", events(...greeting, stop)),
  streamed("streamed-without-last-blank-line", `${events(...greeting, stop)}data: [DONE]`),
  streamed("streamed-without-finish", events(...greeting)),
  streamed(
    "streamed-error-event",
    events(
      ...greeting,
      JSON.stringify({ error: { message: "Overloaded", type: "server_error", code: 503 } }),
      done,
    ),
  ),
  streamed("streamed-nothing", ""),
  streamed("streamed-broken-before-head", "", { broken: "before the head" }),
  streamed("streamed-broken-after-head", "", { broken: "after the head" }),
  streamed("streamed-broken-in-text", events(opening, ...greeting), { broken: "after the body" }),
  streamed("streamed-broken-in-event", `${events(...greeting)}data: {"id":"chatcmpl-B9`, {
    broken: "after the body",
  }),
  streamed("streamed-broken-after-finish", events(...greeting, stop), { broken: "after the body" }),
  streamed("streamed-broken-after-done", events(...greeting, stop, usageChunk, done), {
    broken: "after the body",
  }),
  streamed("streamed-request-whole-reply", completion({ content: "Hello wörld" }), {
    contentType: json,
  }),
  whole("whole", completion({ content: "Hello wörld" })),
  whole("whole-without-usage", completion({ content: "Hello wörld" }, "stop", {})),
  whole("whole-without-content-type", completion({ content: "Hello wörld" }), { contentType: "" }),
  whole("whole-tool-call", completion({ content: null, tool_calls: [weatherCall] }, "tool_calls")),
  whole(
    "whole-reasoning",
    completion({ content: "Hello wörld", reasoning_content: "They greet me." }),
  ),
  whole("whole-request-streamed-reply", events(opening, ...greeting, stop, usageChunk, done), {
    contentType: sse,
  }),
  whole("whole-long", completion({ content: "Hello wörld ".repeat(100_000) })),
  whole("whole-not-json", "Hello wörld", { contentType: json }),
  whole("whole-sign-in-page", "<html>Sign in</html>", { contentType: "text/html" }),
  whole("whole-broken-before-head", "", { broken: "before the head" }),
  whole("whole-broken-in-body", completion({ content: "Hello wörld" }).slice(0, 200), {
    broken: "after the body",
  }),
  whole(
    "error-bad-request",
    JSON.stringify({
      error: {
        message: "Unsupported value: 'temperature' does not support 3 with this model.",
        type: "invalid_request_error",
        param: "temperature",
        code: "unsupported_value",
      },
    }),
    { status: 400 },
  ),
  whole(
    "error-rejected-key",
    JSON.stringify({
      error: { message: "Incorrect API key provided: sk-1234.", code: "invalid_api_key" },
    }),
    { status: 401 },
  ),
  whole(
    "error-rate-limit",
    JSON.stringify({
      error: {
        message: "Rate limit reached for m.",
        type: "requests",
        code: "rate_limit_exceeded",
      },
    }),
    { status: 429 },
  ),
  whole("error-page", "<html><h1>502 Bad Gateway</h1></html>", {
    status: 502,
    contentType: "text/html",
  }),
  whole("error-redirect", "", { status: 302, contentType: "text/html" }),
  whole("error-broken-body", '{"error":{"message":"Over', {
    status: 500,
    broken: "after the body",
  }),
  whole("error-long", JSON.stringify({ error: { message: "Too long. ".repeat(150_000) } }), {
    status: 400,
  }),
  streamed("streamed-request-error", JSON.stringify({ error: "model is overloaded" }), {
    status: 503,
    contentType: json,
  }),
]

/** Splits bytes as the network may: at every event, or within characters and line ends. */
export const splittings = {
  "in one piece": (body: Buffer): Buffer[] => [body],
  "in small pieces": (body: Buffer): Buffer[] => {
    const size = body.length > 10_000 ? 50_000 : 11
    const pieces: Buffer[] = []
    for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size))
    return pieces
  },
} as const
export type Splitting = keyof typeof splittings

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Sends a recorded reply, and breaks it off where the provider did. */
export const sendRecordedReply = async (
  response: ServerResponse,
  { status, contentType, body, broken }: RecordedReply,
  splitting: Splitting,
): Promise<void> => {
  if (broken === "before the head") return void response.destroy()
  response.writeHead(status, contentType === "" ? {} : { "content-type": contentType })
  response.flushHeaders()
  for (const piece of splittings[splitting](Buffer.from(body))) {
    if (piece.length > 0) response.write(piece)
    await nextTurn()
  }
  if (broken === undefined) return void response.end()
  // What was written arrives before the connection is cut.
  while (response.writableLength > 0) await nextTurn()
  response.destroy()
}
