/** Prebuilt replies of the mock upstream, in the OpenAI format. */

const base = {
  id: "chatcmpl-bench000000000000000000000",
  created: 1_760_000_000,
  model: "bench-model",
  system_fingerprint: "fp_bench",
}
const usage = { prompt_tokens: 19, completion_tokens: 48, total_tokens: 67 }

/** The text of a chunk of a stream. */
export const wordOf = (index: number): string => ` word${index % 10}`

const message = {
  role: "assistant",
  content: "A gateway stands between those who ask and those who answer, and counts both.",
}

const replyBody = JSON.stringify({
  ...base,
  object: "chat.completion",
  choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
  usage,
})

const modelsBody = JSON.stringify({
  object: "list",
  data: ["bench-reply", "bench-stream", "bench-spaced", "bench-slow"].map((id) => ({
    id,
    object: "model",
    created: base.created,
    owned_by: "bench",
  })),
})

export const json = (status: string, body: string) =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

const event = (data: string) => `data: ${data}\n\n`
export const framed = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const chunk = (fields: object) =>
  event(JSON.stringify({ ...base, object: "chat.completion.chunk", ...fields }))
const delta = (content: object, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: content, logprobs: null, finish_reason }] })

const events = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    if (index === 0) return delta({ role: "assistant", content: "" })
    if (index === count - 1) return delta({}, "stop")
    return delta({ content: wordOf(index) })
  })

export const streamHead =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n" +
  "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
const doneEvent = event("[DONE]")
const ending = `${framed(doneEvent)}0\r\n\r\n`
const usageChunk = chunk({ choices: [], usage })

/** One buffer per write: the chunks, the first with the headers, then the end of the stream. */
const writes = (count: number, last: string): readonly Buffer[] =>
  [...events(count).map(framed), last].map((text, index) =>
    Buffer.from(index === 0 ? streamHead + text : text),
  )

/** The stream with and without the chunk for `stream_options.include_usage`. */
const both = (count: number) => ({
  usage: writes(count, framed(usageChunk) + ending),
  plain: writes(count, ending),
})

export const reply = json("200 OK", replyBody)
export const models = json("200 OK", modelsBody)
export const notFound = json("404 Not Found", '{"error":{"message":"no such route"}}')
export const stream = both(50)

const slowChunks = 15
export const slowStream = both(slowChunks)
/** Body length of a slow stream without the usage chunk, in bytes. */
export const slowBytes = Buffer.byteLength(events(slowChunks).join("") + doneEvent)
