import { connect } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { slowly, uploadOf, uploadType } from "./requests.ts"

/** Every concurrency limit, per user and in total: a single leaked slot makes one request fail. */
const places = 100
const bodyBytes = 100_000

/** Limits exactly as high as the load of `checkCapacity`. */
export const limits = {
  MAX_REQUESTS: `${places}/${places}`,
  MAX_ANSWERS: `${places}/${places}`,
  MAX_EVENT_STREAMS: `${places}/${places}`,
  MAX_UPLOADS: `${places}/${places}`,
  MAX_BUFFERED_BODIES: `${places * bodyBytes}B/${places * bodyBytes}B`,
  MAX_UNFINISHED_UPLOADS: "10000/10000",
}

const timeoutMs = 20_000

interface Place {
  url: string
  key: string
}

interface Reply {
  status: number
  text: string
}

const all = (ask: (at: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: places }, (_, at) => ask(at)))

const readReply = async (response: Response): Promise<Reply> => ({
  status: response.status,
  text: await response.text(),
})

const post = (path: string, { url, key }: Place, value: unknown): Promise<Response> =>
  fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(value),
    signal: AbortSignal.timeout(timeoutMs),
  })

/** Sends the second half of a body one second later, so that all requests overlap. */
const inHalves = async (
  { url, key }: Place,
  { path, type, body }: { path: string; type: string; body: Buffer },
): Promise<Reply> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const late = setTimeout(() => socket.destroy(), timeoutMs)
  socket.on("error", () => {})
  const half = body.length >> 1
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, half))
  setTimeout(() => socket.write(body.subarray(half)), 1000)
  const pieces: Buffer[] = []
  socket.on("data", (piece: Buffer) => pieces.push(piece))
  await new Promise((resolve) => socket.once("close", resolve))
  clearTimeout(late)
  const text = Buffer.concat(pieces).toString()
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }
}

const question = { model: "gpt-fake", messages: [{ role: "user", content: "Hello" }] }

const askSlowly = (place: Place) => async (): Promise<Reply> => {
  const request = { ...question, stream: true, metadata: slowly(50) }
  const reply = await readReply(await post("/v1/chat/completions", place, request))
  return reply.text.includes("[DONE]") ? reply : { ...reply, status: 0 }
}

const listen =
  ({ url, key }: Place) =>
  async (): Promise<Reply> => {
    const leaving = new AbortController()
    const late = setTimeout(() => leaving.abort(), timeoutMs)
    const headers = { authorization: `Bearer ${key}` }
    const { status, body } = await fetch(`${url}/api/v1/events`, {
      headers,
      signal: leaving.signal,
    })
    await wait(1000)
    const refused = status === 200 ? "" : await new Response(body).text()
    leaving.abort()
    clearTimeout(late)
    return { status, text: refused }
  }

const upload =
  (place: Place) =>
  (at: number): Promise<Reply> => {
    const body = uploadOf(`after-${at}.txt`, `Moths ${at} fly to lamps.`)
    return inHalves(place, { path: "/api/v1/files/", type: uploadType, body })
  }

const sendBody = (place: Place): Promise<Reply> => {
  const [before, after = ""] = JSON.stringify({ ...question, user: "%" }).split("%")
  const body = Buffer.from(
    `${before}${"x".repeat(bodyBytes - String(before).length - after.length)}${after}`,
  )
  return inHalves(place, { path: "/v1/chat/completions", type: "application/json", body })
}

const say = (place: Place) => async (): Promise<Reply> => {
  const made = await post("/api/v1/chats/new", place, {})
  const { id } = Object(await made.json())
  const said = { content: "Hello", models: ["gpt-fake"] }
  return readReply(await post(`/api/v1/chats/${id}/messages`, place, said))
}

const kinds: Record<string, (place: Place) => (at: number) => Promise<Reply>> = {
  "model requests": askSlowly,
  "event streams": listen,
  uploads: upload,
  "buffered bodies": (place) => () => sendBody(place),
  answers: say,
}

/** Uses the full capacity of every limit at once. @returns the requests that were refused */
export const takeAll = async (place: Place): Promise<string[]> => {
  const problems: string[] = []
  for (const [kind, take] of Object.entries(kinds)) {
    const replies = await all(take(place)).catch((error: unknown) => String(error))
    if (typeof replies === "string") {
      problems.push(`${kind}: ${replies}`)
      continue
    }
    const refused = replies.filter(({ status }) => status !== 200)
    if (refused.length > 0) {
      problems.push(
        `${refused.length} of ${places} ${kind}: ${refused[0]?.status} ${refused[0]?.text.slice(0, 500)}`,
      )
    }
  }
  return problems
}
