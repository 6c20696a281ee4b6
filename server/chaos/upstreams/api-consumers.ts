import type { Connection, HttpReply } from "./client.ts"
import { type Consumer, outcomeOf, parsed, refusal, wordsOf } from "./consumer.ts"
import type { Outcome } from "./outcome.ts"
import type { Received } from "./received.ts"

const hasContent = (said: string) => (text: string) =>
  parsed(text)?.choices?.[0]?.message?.content === `echo ${said}`

/** Outcome of an event stream, whose last event may be an error. */
const streamed = (reply: HttpReply, said: string): Outcome => {
  const { status, text, isCut, type } = reply
  if (status < 200 || status > 299) return refusal(reply)
  if (!type.startsWith("text/event-stream")) return outcomeOf(reply, hasContent(said))
  if (isCut) return { kind: "cut", text }
  const events = text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) => event.trim().replace(/^data: ?/, ""))
    .filter(Boolean)
  const last = parsed(events.at(-1) ?? "")
  if (last?.error) {
    return {
      kind: "error",
      text,
      message: wordsOf(last) ?? "",
      isOwn: last.error.code === undefined,
    }
  }
  const content = events
    .map((event) => parsed(event)?.choices?.[0]?.delta?.content)
    .filter((piece) => typeof piece === "string")
    .join("")
  const isEnded = events.includes("[DONE]")
  return { kind: isEnded && content.includes(`echo ${said}`) ? "right" : "other", text }
}

const messages = (said: string) => [{ role: "user", content: said }]
export const toChat = ({ path }: Received): boolean => path.endsWith("/chat/completions")

export const completion = (connection: Connection, model: string): Consumer => ({
  name: "completion",
  form: "json",
  on: toChat,
  isVerbatim: true,
  ask: async (said) => {
    const requested = { model, messages: messages(said) }
    return outcomeOf(
      await connection.call("POST", "/v1/chat/completions", requested),
      hasContent(said),
    )
  },
})

export const stream = (connection: Connection, model: string): Consumer => ({
  name: "streamed completion",
  form: "events",
  on: toChat,
  isVerbatim: true,
  ask: async (said) => {
    const requested = { model, messages: messages(said), stream: true }
    return streamed(await connection.call("POST", "/v1/chat/completions", requested), said)
  },
})

/** For functions that call a model and for filters: they parse the reply instead of passing it on. */
export const readCompletion = (name: string, connection: Connection, model: string): Consumer => ({
  ...completion(connection, model),
  name,
  isVerbatim: false,
})

export const readStream = (name: string, connection: Connection, model: string): Consumer => ({
  ...stream(connection, model),
  name,
  isVerbatim: false,
})

export const embeddings = (connection: Connection, model: string): Consumer => ({
  name: "embeddings",
  form: "json",
  on: ({ path }) => path.endsWith("/embeddings"),
  isVerbatim: true,
  ask: async (said) => {
    const reply = await connection.call("POST", "/v1/embeddings", { model, input: said })
    return outcomeOf(reply, (text) => parsed(text)?.model === said)
  },
})

/** A request through one of the pass-through proxies. */
export const native = (
  name: string,
  connection: Connection,
  { path, model, isStream }: { path: string; model: string; isStream: boolean },
): Consumer => ({
  name,
  form: !isStream ? "json" : path.includes("openai") ? "events" : "lines",
  on: (received) => received.path === "/api/chat" || toChat(received),
  isVerbatim: true,
  ask: async (said) => {
    const requested = { model, messages: messages(said), stream: isStream }
    const reply = await connection.call("POST", path, requested)
    if (path.includes("openai") && isStream) return streamed(reply, said)
    const outcome = outcomeOf(reply, (text) => text.includes(`echo ${said}`))
    const last = parsed(outcome.text.trim().split("\n").at(-1) ?? "")
    if (outcome.kind === "error" || typeof last?.error !== "string") return outcome
    return { ...outcome, kind: "error", message: last.error, isOwn: false }
  },
})

/** An administrator's connection test, which lists models without changing the known ones. */
export const modelList = (
  name: string,
  connection: Connection,
  { id, model }: { id: string; model: string },
): Consumer => ({
  name,
  form: "json",
  on: ({ path }) => path.endsWith("/models") || path === "/api/tags",
  ask: async () => {
    const tested = await connection.call("POST", `/api/v1/connections/${id}/test`)
    const { ok, models, message } = parsed(tested.text) ?? {}
    if (tested.status !== 200) return refusal(tested)
    if (!ok) return { kind: "error", text: tested.text, message, isOwn: false }
    return { kind: models.includes(model) ? "right" : "other", text: tested.text.slice(0, 2000) }
  },
})

/** Details of each model that a runtime serves separately from the list. */
export const modelDetails = (...of: Parameters<typeof modelList>): Consumer => ({
  ...modelList(...of),
  doesWithout: true,
  on: ({ path }) => path === "/api/show" || path === "/api/ps",
})
