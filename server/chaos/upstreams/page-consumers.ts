import { setTimeout as wait } from "node:timers/promises"
import { FormData } from "undici"
import { toChat } from "./api-consumers.ts"
import type { Connection } from "./client.ts"
import { type Any, type Consumer, parsed, refusal } from "./consumer.ts"
import type { ChaosProvider } from "./provider.ts"

/** Far above all of the gateway's timeouts, so that a slow machine does not hit this limit. */
const answerMs = 30_000

/** Polls until `look` returns a value. @throws after `answerMs` */
const until = async <T>(look: () => Promise<T | null>): Promise<T> => {
  const late = performance.now() + answerMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (performance.now() > late) throw new Error(`no result within ${answerMs} ms`)
    await wait(5)
  }
}

const begin = async (connection: Connection, model: string, said: string): Promise<string> => {
  const created = await connection.call("POST", "/api/v1/chats/new", { models: [model] })
  const { id } = parsed(created.text)
  const sent = await connection.call("POST", `/api/v1/chats/${id}/messages`, { content: said })
  if (sent.status !== 200) throw new Error(`the message was rejected: ${sent.text}`)
  return id
}

const chatOf = async (connection: Connection, id: string): Promise<Any> =>
  parsed((await connection.call("GET", `/api/v1/chats/${id}`)).text)

export const conversation = (connection: Connection, model: string): Consumer => ({
  name: "conversation",
  form: "events",
  on: toChat,
  storesReply: true,
  ask: async (said) => {
    const id = await begin(connection, model, said)
    const answer = await until(async () => {
      const { messages } = await chatOf(connection, id)
      return messages[1].state === "running" ? null : messages[1]
    })
    await connection.call("DELETE", `/api/v1/chats/${id}`)
    const text = JSON.stringify(answer).slice(0, 2000)
    if (answer.state === "failed") {
      const { message, raw } = answer.error
      return { kind: "error", text, message, isOwn: raw !== null }
    }
    return { kind: answer.content.includes(`echo ${said}`) ? "right" : "other", text }
  },
})

const maxTitleLength = 200
/** How long to wait for a title that must come. */
const titleMs = 20_000
/** How long to wait for one that may not: for the reply, and after it. */
const replyMs = 750
const uncertainTitleMs = 150

interface AwaitedTitle {
  chat: string
  /** What the title is at first: the words of the question. */
  question: string
  maxMs: number
}

/** @returns the title of a chat, which is that of the question if no other arrives in time */
const waitForTitle = async (
  connection: Connection,
  { chat, question, maxMs }: AwaitedTitle,
): Promise<string> => {
  const deadline = performance.now() + maxMs
  let shown = question
  while (shown === question && performance.now() < deadline) {
    await wait(10)
    shown = String((await chatOf(connection, chat)).title)
  }
  return shown
}

/** Requested after an answer; without a title, the question's text is used. */
export const title = (connection: Connection, provider: ChaosProvider): Consumer => ({
  name: "title",
  form: "events",
  on: (received) => toChat(received) && received.body.includes("Write a title"),
  isQuiet: true,
  storesReply: true,
  ask: async (said, expected) => {
    const before = provider.broken()
    const id = await begin(connection, provider.model, said)
    if (expected !== "right") await provider.sent(before, replyMs)
    // A failed title request is silent: the title simply never changes.
    const maxMs = expected === "right" ? titleMs : uncertainTitleMs
    const shown = await waitForTitle(connection, { chat: id, question: said, maxMs })
    await connection.call("DELETE", `/api/v1/chats/${id}`)
    if (shown === said) return { kind: "error", text: shown, message: "the words of the question" }
    if (shown === "" || shown.length > maxTitleLength) {
      throw new Error(`the title has ${shown.length} characters`)
    }
    return { kind: shown.includes(`echo ${said}`) ? "right" : "other", text: shown }
  },
})

const query = "moths at night"

/** Reorders passages; on failure the original order is kept and a note says so. */
export const rerank = (connection: Connection, collection: string): Consumer => ({
  name: "rerank",
  form: "json",
  on: ({ path }) => path.endsWith("/rerank"),
  ask: async () => {
    const reply = await connection.call("POST", `/api/v1/knowledge/${collection}/query`, {
      query,
    })
    if (reply.status !== 200) return refusal(reply)
    const { passages, note } = parsed(reply.text)
    if (passages.length === 0) return { kind: "other", text: reply.text.slice(0, 2000) }
    if (note) return { kind: "error", text: note, message: note, isOwn: false }
    const isRanked = passages.every((passage: Any) => passage.reranked)
    return { kind: isRanked ? "right" : "other", text: reply.text.slice(0, 2000) }
  },
})

/** Embeds a question; on failure the search is lexical only and a note says so. */
export const queryVector = (connection: Connection, collection: string): Consumer => ({
  ...rerank(connection, collection),
  name: "query embedding",
  // Files processed in the meantime are embedded by the same model.
  on: ({ path, body }) => path.endsWith("/embeddings") && body.includes(query),
})

/** Extracts text from an image with an external engine; failed requests are retried. */
export const extraction = (connection: Connection, engine: "tika" | "docling"): Consumer => ({
  name: "extraction",
  storesReply: true,
  form: engine === "tika" ? "text" : "json",
  triesAgain: true,
  on: ({ path }) => path === "/tika" || path === "/v1/convert/file",
  ask: async (said) => {
    const form = new FormData()
    const picture = Buffer.from(`\x89PNG\r\n\x1a\n and so on ${said}`, "latin1")
    form.append("file", new Blob([picture], { type: "image/png" }), `${said}.png`)
    const stored = await connection.call("POST", "/api/v1/files/", form)
    const { id } = parsed(stored.text)
    const { data } = await until(async () => {
      const file = parsed((await connection.call("GET", `/api/v1/files/${id}`)).text)
      return /completed|failed/.test(file.data.status) ? file : null
    })
    const { text } = await connection.call("GET", `/api/v1/files/${id}/data/content`)
    await connection.call("DELETE", `/api/v1/files/${id}`)
    if (data.status === "failed") {
      return { kind: "error", text: data.error, message: data.error, isOwn: false }
    }
    return { kind: text.includes(`echo ${said}`) ? "right" : "other", text: text.slice(0, 2000) }
  },
})
