import { once } from "node:events"
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http"
import { afterEach, describe, expect, it, vi } from "vitest"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { ResponseWriter } from "./response-writer.ts"

const stallMs = 300
const piece = Buffer.alloc(1024 * 1024)
const opened: { close: () => void }[] = []

/** Starts a response. @returns its writer, and the client that receives it */
const begin = async (): Promise<{
  reply: ResponseWriter
  outgoing: ServerResponse
  client: IncomingMessage
}> => {
  const server = createServer()
  const port = await listenOnLoopback(server)
  const pendingRequest = get({ port, host: "127.0.0.1", agent: false })
  const outgoing = await new Promise<ServerResponse>((resolve) => {
    server.once("request", (_, response) => resolve(response))
  })
  const reply = new ResponseWriter({ outgoing, requestId: "one" }, stallMs)
  reply.head(200, [])
  reply.flushSoon()
  const [client]: IncomingMessage[] = await once(pendingRequest, "response")
  if (!client) throw new Error("there was no reply")
  client.on("error", () => undefined)
  opened.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return { reply, outgoing, client }
}
afterEach(() => {
  vi.useRealTimers()
  for (const { close } of opened.splice(0)) close()
})

const fill = (reply: ResponseWriter): void => {
  for (let sent = 0; sent < 64 && reply.write(piece); sent++);
  for (let more = 0; more < 16; more++) reply.write(piece)
}

describe("ResponseWriter", () => {
  it("closes the connection of a client that stops reading, and reports the disconnect", async () => {
    const { reply, outgoing } = await begin()
    const removed = new Promise<void>((resolve) => reply.onDisconnect(resolve))
    fill(reply)
    await removed
    expect(outgoing.destroyed).toBe(true)
  })

  it("keeps the connection of a client that reads slowly", async () => {
    const { reply, outgoing, client } = await begin()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    reply.onDrain(() => void reply.write(piece))
    reply.write(piece)
    client.pause()
    for (let round = 0; round < 6; round++) {
      vi.advanceTimersByTime(stallMs / 2)
      const drained = once(outgoing, "drain")
      client.resume()
      await drained
      client.pause()
    }
    expect(outgoing.destroyed).toBe(false)
    expect(outgoing.listenerCount("drain")).toBeLessThanOrEqual(2)
    expect(outgoing.listenerCount("close")).toBeLessThanOrEqual(3)
  })

  it("reports a disconnect that preceded the listener", async () => {
    const { reply, outgoing } = await begin()
    outgoing.destroy()
    await once(outgoing, "close")
    await new Promise<void>((resolve) => reply.onDisconnect(resolve))
  })

  it("does not report a disconnect after a complete response", async () => {
    const { reply, outgoing, client } = await begin()
    let removed = false
    reply.onDisconnect(() => {
      removed = true
    })
    const closed = once(outgoing, "close")
    reply.end("all")
    client.resume()
    await closed
    expect(removed).toBe(false)
  })
})
