import { connect } from "node:net"
import { createConnection } from "../proxy/connection.ts"
import { createMessageReader } from "../proxy/message.ts"
import { conversionAttacks, referenceAttacks, storageAttacks } from "./model-requests.ts"
import { type Attack, type Attacked, post, workers } from "./requests.ts"

/** Differs from the address of the user whose latency is measured. */
const attackersAddress = "127.0.0.2"
const messages = [{ role: "user", content: "Say in one sentence what a gateway is for." }]
const completion = (fields: object): string => JSON.stringify({ messages, ...fields })

const postOf = ({ port, key }: Attacked, path: string, body: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

/** Closed loop: each connection sends its next request on receiving a response. */
const closedLoop =
  (connections: number, fields: object): Attack =>
  (attacked, count) => {
    const request = postOf(attacked, "/v1/chat/completions", completion(fields))
    for (let index = 0; index < connections; index++) {
      const connection = createConnection({
        port: attacked.port,
        from: attackersAddress,
        request,
        done: (done, _exchange, ok) => {
          count()
          if (ok) done.send()
          else setTimeout(done.send, 100)
        },
      })
      connection.send()
    }
  }

/** Sends a burst, each request on a new connection, and repeats it once all are answered. */
const salvo =
  (requests: number): Attack =>
  (attacked, count) => {
    const request = postOf(attacked, "/v1/chat/completions", completion({ model: "bench-reply" }))
    let open = 0
    const fire = (): void => {
      open = requests
      for (let index = 0; index < requests; index++) {
        const connection = createConnection({
          port: attacked.port,
          from: attackersAddress,
          request,
          done: (done) => {
            count()
            done.close()
            if (--open === 0) setImmediate(fire)
          },
        })
        connection.send()
      }
    }
    fire()
  }

/** Pipelines requests on a few connections without waiting for responses. */
const pipelined =
  (requests: number, connections: number): Attack =>
  (attacked, count) => {
    const one = postOf(attacked, "/v1/chat/completions", completion({ model: "bench-reply" }))
    const each = requests / connections
    const all = Buffer.concat(Array.from({ length: each }, () => one))
    const open = (): void => {
      const socket = connect({ port: attacked.port, host: "127.0.0.1", noDelay: true })
      let left = each
      const read = createMessageReader({
        head: () => {},
        body: () => {},
        end: () => {
          count()
          if (--left > 0) return
          left = each
          socket.write(all)
        },
      })
      socket.on("data", read)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => setTimeout(open, 100))
      socket.write(all)
    }
    for (let index = 0; index < connections; index++) open()
  }

const upload = (
  attacked: Attacked,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<Response> => {
  const form = new FormData()
  form.append("file", new Blob([content]), name)
  return post(attacked, "/api/v1/files/", form)
}

const megabyte = 1_000_000
/** Text for all uploads; a unique first line makes each file different. */
const words = "The gateway stands between those who ask and those who answer. ".repeat(800_000)
const book = (turn: number, bytes: number): string =>
  `number ${turn} of ${Math.random()}\n${words.slice(0, bytes)}`

/** Small Markdown on which a naive parser spends minutes. */
const heading = `# ${" ".repeat(20)}a${" ".repeat(6000)}\u2028b`
const hostileDocument = async (attacked: Attacked, turn: number): Promise<Response> => {
  // Imported on demand: building the archive bomb takes seconds.
  const { malformedDocuments } = await import("../../test/files/malformed-documents.ts")
  const bad = malformedDocuments[turn % (malformedDocuments.length + 3)]
  if (!bad) return upload(attacked, `${turn}.md`, `# ${Math.random()}\n${heading}`)
  const content = bad.content()
  return upload(attacked, bad.name, typeof content === "string" ? content : new Uint8Array(content))
}

const largeText = words.slice(0, 40 * megabyte)
const largePrompt = completion({
  model: "bench-reply",
  messages: [{ role: "user", content: largeText }],
})

const importedMessage = (index: number): object => ({
  id: `m${index}`,
  parent_id: index === 0 ? null : `m${index - 1}`,
  role: index % 2 === 0 ? "user" : "assistant",
  content: words.slice(0, 2000),
  created_at: 0,
})
const importedChat = {
  title: "Long",
  created_at: 0,
  updated_at: 0,
  messages: Array.from({ length: 15_000 }, (_, index) => importedMessage(index)),
}
const chatImport = JSON.stringify({ chats: [importedChat] })

const question = words.slice(0, 8000)

/** Attacks available to an ordinary user, by their name in the table. */
export const attacks: Readonly<Record<string, Attack>> = {
  "1,000 connections": closedLoop(1000, { model: "bench-reply" }),
  "10,000 requests at once": salvo(10_000),
  "10,000 requests pipelined": pipelined(10_000, 10),
  "1,000 streams": closedLoop(1000, { model: "bench-stream", stream: true }),
  "1,000 slow streams": closedLoop(1000, { model: "bench-slow", stream: true }),
  "1 GB of uploads": workers(20, (attacked, turn) =>
    upload(attacked, `${turn}.txt`, book(turn, 9 * megabyte)),
  ),
  "hostile documents": workers(8, hostileDocument),
  "hostile functions": workers(16, (attacked, turn) => {
    const model = attacked.names[turn % attacked.names.length]
    return post(attacked, "/v1/chat/completions", completion({ model }))
  }),
  "10 million yields": workers(4, (attacked) =>
    post(attacked, "/v1/chat/completions", completion({ model: "hostile_pieces_0", stream: true })),
  ),
  "40 MB bodies": workers(4, (attacked) => post(attacked, "/v1/chat/completions", largePrompt)),
  "chat imports of 30 MB": workers(2, (attacked) =>
    post(attacked, "/api/v1/chats/import", chatImport),
  ),
  searches: workers(32, (attacked, turn) =>
    post(
      attacked,
      `/api/v1/knowledge/${attacked.names[0]}/query`,
      JSON.stringify({ query: `${turn} ${question}`.slice(0, 4000), k: 50 }),
    ),
  ),
  "sign-ins": workers(200, (attacked, turn) =>
    post(
      attacked,
      "/api/v1/auths/signin",
      JSON.stringify({ email: `nobody${turn}@example.com`, password: "not the password" }),
    ),
  ),
  ...conversionAttacks,
  ...referenceAttacks,
  ...storageAttacks,
}
