import { createServer, type Socket } from "node:net"
import { portOf } from "../../test/harness/ports.ts"
import { createMessageReader } from "./message.ts"
import { badRequest, claudeModels, messagesStream, responsesStream } from "./other-formats.ts"
import { models, notFound, reply, slowStream, stream } from "./responses.ts"

/** `ms` is the interval between chunks; 0 writes one chunk per turn of the event loop. */
const paceByModel: Record<string, { ms: number; chunks: typeof stream }> = {
  "bench-stream": { ms: 0, chunks: stream },
  "bench-spaced": { ms: 1, chunks: stream },
  "bench-slow": { ms: 1000, chunks: slowStream },
}

const writeSpaced = (socket: Socket, chunks: readonly Buffer[], ms: number) => {
  let next = 0
  const timer = setTimeout(() => {
    if (socket.destroyed) return
    const chunk = chunks[next++]
    if (chunk) socket.write(chunk)
    if (next < chunks.length) timer.refresh()
  }, ms)
  const first = chunks[next++]
  if (first) socket.write(first)
}

const writeByTurns = (socket: Socket, chunks: readonly Buffer[]) => {
  let next = 0
  const write = () => {
    const chunk = chunks[next++]
    if (!chunk || socket.destroyed) return
    socket.write(chunk)
    setImmediate(write)
  }
  write()
}

const answerChat = (socket: Socket, body: Buffer) => {
  if (!body.includes('"stream":true')) {
    socket.write(reply)
    return
  }
  const model = /"model":"([^"]*)"/.exec(body.toString("latin1"))?.[1] ?? ""
  const pace = paceByModel[model]
  if (!pace) {
    socket.write(notFound)
    return
  }
  const chunks = pace.chunks[body.includes('"include_usage":true') ? "usage" : "plain"]
  if (pace.ms > 0) writeSpaced(socket, chunks, pace.ms)
  else writeByTurns(socket, chunks)
}

/** A request without a model only asks whether the API exists. */
const answerResponses = (socket: Socket, body: Buffer) => {
  if (body.includes('"model"')) writeByTurns(socket, responsesStream)
  else socket.write(badRequest)
}

/** Whether the provider lacks the Responses API. */
const hasChatOnly = process.argv.includes("chat-only")

const answer = (socket: Socket, head: string, body: Buffer) => {
  if (head.startsWith("POST /v1/chat/completions ")) answerChat(socket, body)
  else if (head.startsWith("POST /v1/messages ")) writeByTurns(socket, messagesStream)
  else if (head.startsWith("POST /v1/responses ") && !hasChatOnly) answerResponses(socket, body)
  else if (head.startsWith("GET /v1/models?limit=")) socket.write(claudeModels)
  else if (head.startsWith("GET /v1/models")) socket.write(models)
  else socket.write(notFound)
}

const empty = Buffer.alloc(0)

const server = createServer({ noDelay: true }, (socket) => {
  let head = ""
  let parts: Buffer[] = []
  socket.on("error", () => socket.destroy())
  socket.on(
    "data",
    createMessageReader({
      head: (text) => {
        head = text
      },
      body: (bytes) => {
        parts.push(bytes)
      },
      end: () => {
        const [first = empty] = parts
        const body = parts.length > 1 ? Buffer.concat(parts) : first
        parts = []
        answer(socket, head, body)
      },
    }),
  )
})

server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  process.send?.({ port: portOf(server) })
})
process.on("disconnect", () => process.exit(0))
