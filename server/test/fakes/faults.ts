import type { ServerResponse } from "node:http"
import type { Writable } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import type { Answer } from "./answers.ts"
import type { Json } from "./json.ts"

/**
 * A fault to inject. `after` is the number of frames sent before it: the first SSE event or NDJSON
 * line is 1. For faults that count frames, a response that is not a stream is sent in eight pieces.
 */
export type Fault =
  /** Stops listening and closes all connections, until `restart()`. Not per request. */
  | { kind: "refuse" }
  /** The request is read but never answered. */
  | { kind: "hang" }
  /** The connection is reset (RST) before any headers. */
  | { kind: "reset" }
  /**
   * Headers and `after` frames are sent, then the response ends: by RST, by FIN without the last
   * chunk ("close"), or well-formed but without its last frames ("end"). `torn` also sends half of
   * the next frame.
   */
  | { kind: "break"; after: number; torn?: boolean; by?: "reset" | "close" | "end" }
  /** Headers and `after` frames are sent, then nothing more; the connection stays open. */
  | { kind: "silence"; after: number; torn?: boolean }
  /**
   * Headers and `after` frames are sent, then this frame unchanged, then the response ends
   * normally.
   */
  | { kind: "last_words"; after: number; frame: string }
  | { kind: "status"; status: number; body?: Json; headers?: Record<string, string> }
  /** A proxy's error page; by default, status 500. */
  | { kind: "html"; status?: number }
  /** Status 200 with the content type of a stream, but bytes that are not a stream. */
  | { kind: "garbage"; contentType?: string }
  /**
   * Any body in valid HTTP framing; `content-length` is added unless `headers` define the framing.
   */
  | { kind: "reply"; status?: number; headers?: Record<string, string>; body: Buffer | string }
  /** These bytes on the raw socket, in this order; by default, the connection stays open. */
  | { kind: "raw"; steps: Iterable<RawStep>; ends?: "open" | "close" | "reset" }
  | { kind: "slow_headers"; ms: number }
  | { kind: "slow_frames"; ms: number }

/** Bytes, or milliseconds to wait. */
export type RawStep = Buffer | string | number

export type Delivery = {
  response: ServerResponse
  /** Aborted when the connection closes. */
  gone: AbortSignal
  /** Marks the close that follows as ours, not the client's. */
  cut: () => void
  /** Records bytes that were sent. */
  keep: (bytes: Buffer) => void
}

export const GARBAGE = Buffer.from("\u0000\u0001 no stream {{{ \n]\xff\xfe: half\n\ndata", "latin1")
export const ERROR_PAGE =
  "<html>\r\n<head><title>500 Internal Server Error</title></head>\r\n<body>\r\n<center><h1>500 " +
  "Internal Server Error</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

/** The response for faults that are an ordinary response; undefined for all others. */
export const answerOf = (fault: Fault | undefined): Answer | undefined => {
  if (fault?.kind === "status") {
    const headers = { "content-type": "application/json", ...fault.headers }
    return { status: fault.status, headers, body: JSON.stringify(fault.body ?? {}) }
  }
  if (fault?.kind === "html") {
    const headers = { "content-type": "text/html" }
    return { status: fault.status ?? 500, headers, body: ERROR_PAGE }
  }
  return undefined
}

/**
 * Applies faults that replace the route's response.
 * @returns true if the request has been handled
 */
export const endBefore = (fault: Fault | undefined, to: Delivery): boolean => {
  if (fault?.kind === "hang") return true
  if (fault?.kind === "reset") {
    to.cut()
    to.response.socket?.resetAndDestroy()
    return true
  }
  if (fault?.kind === "garbage") {
    to.response.writeHead(200, { "content-type": fault.contentType ?? "text/event-stream" })
    finish(GARBAGE, to)
    return true
  }
  if (fault?.kind === "raw") {
    void sendRaw(fault, to)
    return true
  }
  if (fault?.kind === "reply") {
    const body = Buffer.from(fault.body)
    const headers = { "content-type": "application/json", ...fault.headers }
    to.response.writeHead(fault.status ?? 200, headers)
    finish(body, to)
    return true
  }
  return false
}

/** Sends the steps until the client disconnects. */
const sendRaw = async (
  { steps, ends = "open" }: Extract<Fault, { kind: "raw" }>,
  { response, gone, cut }: Delivery,
): Promise<void> => {
  const { socket } = response
  if (!socket) return
  for (const step of steps) {
    if (gone.aborted) return
    if (typeof step === "number") await pause(step, gone)
    else await put(socket, step, gone)
  }
  if (ends === "open" || gone.aborted) return
  if (ends === "reset") await pause(20, gone)
  cut()
  if (ends === "reset") socket.resetAndDestroy()
  else socket.end()
}

/** Sends the response with the fault applied; stops silently when the client disconnects. */
export const deliver = async (answer: Answer, fault: Fault | undefined, to: Delivery) => {
  if (fault?.kind === "slow_headers") await pause(fault.ms, to.gone)
  if ("body" in answer && answer.afterMs !== undefined) await pause(answer.afterMs, to.gone)
  if (to.gone.aborted) return
  if ("body" in answer && !countsFrames(fault)) {
    const body = Buffer.from(answer.body)
    const length = { "content-length": String(body.length) }
    to.response.writeHead(answer.status, { ...answer.headers, ...length })
    finish(body, to)
    return
  }
  const frames = "frames" in answer ? answer.frames : inEight(answer.body)
  const ownDelay = "frames" in answer ? answer.delayMs : 0
  to.response.writeHead(answer.status, answer.headers).flushHeaders()
  await sendFrames({
    frames,
    delayMs: fault?.kind === "slow_frames" ? fault.ms : ownDelay,
    fault,
    to,
  })
}

/** Resolves after the time or when the client disconnects, whichever comes first. */
const pause = async (ms: number, gone: AbortSignal): Promise<void> => {
  if (ms > 0) await wait(ms, undefined, { signal: gone }).catch(() => undefined)
}

type Stop = Extract<Fault, { after: number }>
type Sending = { frames: Iterable<string>; delayMs: number; fault: Fault | undefined; to: Delivery }

const sendFrames = async ({ frames, delayMs, fault, to }: Sending) => {
  const stop = fault !== undefined && "after" in fault ? fault : undefined
  let sent = 0
  for (const frame of frames) {
    if (stop !== undefined && sent === stop.after) return stopHere(stop, frame, to)
    if (sent > 0) await pause(delayMs, to.gone)
    if (to.gone.aborted) return
    await write(Buffer.from(frame), to)
    sent += 1
  }
  if (stop !== undefined) return stopHere(stop, "", to)
  to.response.end()
}

const stopHere = async (stop: Stop, next: string, to: Delivery) => {
  if (stop.kind === "last_words") {
    finish(Buffer.from(stop.frame), to)
    return
  }
  const bytes = Buffer.from(next)
  if (stop.torn === true) await write(bytes.subarray(0, Math.ceil(bytes.length / 2)), to)
  if (stop.kind === "silence") return
  if (stop.by === "end") {
    to.response.end()
    return
  }
  // An RST discards bytes that are still in the send buffer, so allow them time to arrive.
  await pause(20, to.gone)
  to.cut()
  if (stop.by === "close") to.response.socket?.destroy()
  else to.response.socket?.resetAndDestroy()
}

const finish = (bytes: Buffer, { response, keep }: Delivery) => {
  keep(bytes)
  response.end(bytes)
}

const write = async (frame: Buffer, { response, gone, keep }: Delivery) => {
  keep(frame)
  await put(response, frame, gone)
}

const put = async (to: Writable, bytes: Buffer | string, gone: AbortSignal): Promise<void> => {
  if (to.write(bytes) || gone.aborted) return
  await new Promise<void>((resolve) => {
    const next = (): void => {
      to.off("drain", next)
      gone.removeEventListener("abort", next)
      resolve()
    }
    to.once("drain", next)
    gone.addEventListener("abort", next, { once: true })
  })
}

const countsFrames = (fault: Fault | undefined): boolean =>
  fault !== undefined && ("after" in fault || fault.kind === "slow_frames")

const inEight = (body: string): string[] => {
  const cuts = Array.from({ length: 9 }, (_, piece) => Math.floor((piece * body.length) / 8))
  return cuts.slice(1).map((end, piece) => body.slice(cuts[piece], end))
}
