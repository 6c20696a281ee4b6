import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { createMessageReader } from "../../bench/proxy/message.ts"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import type { Received } from "./received.ts"
import { type BrokenReply, type RightReply, type Step, typeLine, whole } from "./reply.ts"
import { rightReply } from "./right.ts"

/** How replies are broken: by a row of the table or a random mutation. */
export interface Breakage {
  /** Selects the requests to break; all others get a valid reply. */
  on: (received: Received) => boolean
  steps: (right: RightReply, about: { trap: string }) => Iterable<Step>
  ends: NonNullable<BrokenReply["ends"]>
  /** Maximum number of requests to break; all by default. */
  times?: number
}

const put = async (socket: Socket, bytes: Buffer | string, removed: AbortSignal): Promise<void> => {
  if (socket.write(bytes) || removed.aborted) return
  await once(socket, "drain", { signal: removed }).catch(() => undefined)
}

const trapPath = "/trap"

/** Starts a provider with one model that echoes its input and can be made to break replies. */
export const startChaosProvider = async (model: string) => {
  const sockets = new Set<Socket>()
  const underWay = new Set<Promise<unknown>>()
  let breakage: Breakage | null = null
  let left = 0
  let broken = 0
  let trapped = 0
  let trap = ""

  const isBroken = (received: Received): boolean => left > 0 && breakage?.on(received) === true

  const sendBroken = async (
    socket: Socket,
    right: RightReply,
    { steps, ends }: Breakage,
    removed: AbortSignal,
  ): Promise<void> => {
    broken++
    left--
    for (const step of steps(right, { trap })) {
      if (removed.aborted) return
      if (typeof step === "number") await wait(step, undefined, { signal: removed }).catch(() => {})
      else await put(socket, step, removed)
    }
    if (removed.aborted) return
    if (ends === "reset") socket.resetAndDestroy()
    if (ends !== "close") return
    socket.end()
    // The client may send its next request on this connection until it notices the close.
    await once(removed, "abort")
  }

  const send = async (socket: Socket, received: Received, removed: AbortSignal): Promise<void> => {
    if (received.path.startsWith(trapPath)) trapped++
    const right = rightReply(received, model)
    if (breakage && isBroken(received)) await sendBroken(socket, right, breakage, removed)
    else await put(socket, whole(right.body, [typeLine(right)]), removed)
  }

  const serve = (socket: Socket): void => {
    sockets.add(socket)
    let answering = new AbortController()
    const leave = (): void => {
      sockets.delete(socket)
      answering.abort()
    }
    let head = ""
    let body: Buffer[] = []
    const read = createMessageReader({
      head: (text) => {
        head = text
        body = []
      },
      body: (bytes) => void body.push(Buffer.from(bytes)),
      end: () => {
        const [method = "", path = ""] = head.split(" ", 2)
        const received = { method, path, body: Buffer.concat(body).toString("latin1") }
        // A new request is answered immediately; the rest of the previous reply is dropped.
        answering.abort()
        answering = new AbortController()
        const sent = send(socket, received, answering.signal).catch(() => socket.destroy())
        underWay.add(sent)
        void sent.finally(() => underWay.delete(sent))
      },
    })
    socket.setNoDelay(true)
    socket.on("data", read)
    socket.on("error", leave)
    socket.on("close", leave)
  }

  const quiet = (maxMs: number): Promise<unknown> =>
    Promise.race([Promise.all(underWay), wait(maxMs, undefined, { ref: false })])

  const server = createServer(serve)
  const port = await listenOnLoopback(server)
  const origin = `http://127.0.0.1:${port}`
  trap = `${origin}${trapPath}`

  return {
    origin,
    model,
    break: (how: Breakage): void => {
      breakage = how
      left = how.times ?? Number.POSITIVE_INFINITY
    },
    mend: (): void => {
      breakage = null
    },
    /** Number of replies broken since the start. */
    broken: (): number => broken,
    /** Number of requests for the URL to which its redirects point. */
    trapped: (): number => trapped,
    /** Resolves when all replies are sent, or after `maxMs`. */
    quiet,
    /** Resolves when a reply after the first `count` broken ones is sent, or after `maxMs`. */
    sent: async (count: number, maxMs: number): Promise<void> => {
      const late = performance.now() + maxMs
      while (broken <= count && performance.now() < late) await wait(5)
      await quiet(Math.max(0, late - performance.now()))
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

export type ChaosProvider = Awaited<ReturnType<typeof startChaosProvider>>
