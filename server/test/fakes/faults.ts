import type { ServerResponse } from "node:http"
import type { Writable } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import type { Json } from "./json.ts"
import type { FakeResponse } from "./responses.ts"

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

/** The status after which the gateway tries another connection. */
export const serviceUnavailable = {
  ...{ kind: "status", status: 503 },
  body: { error: { message: "Unavailable" } },
} as const satisfies Fault

/** Bytes, or milliseconds to wait. */
export type RawStep = Buffer | string | number

export type ResponseDelivery = {
  response: ServerResponse
  /** Aborted when the connection closes. */
  disconnectSignal: AbortSignal
  /** Marks the close that follows as ours, not the client's. */
  markOwnClose: () => void
  /** Records bytes that were sent. */
  recordSent: (bytes: Buffer) => void
}

export const GARBAGE = Buffer.from("\u0000\u0001 no stream {{{ \n]\xff\xfe: half\n\ndata", "latin1")
export const ERROR_PAGE =
  "<html>\r\n<head><title>500 Internal Server Error</title></head>\r\n<body>\r\n<center><h1>500 " +
  "Internal Server Error</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

/** The response for faults that are an ordinary response; undefined for all others. */
export const responseForFault = (fault: Fault | undefined): FakeResponse | undefined => {
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
export const applyEarlyFault = (fault: Fault | undefined, to: ResponseDelivery): boolean => {
  if (fault?.kind === "hang") return true
  if (fault?.kind === "reset") {
    to.markOwnClose()
    to.response.socket?.resetAndDestroy()
    return true
  }
  if (fault?.kind === "garbage") {
    to.response.writeHead(200, { "content-type": fault.contentType ?? "text/event-stream" })
    sendAndEnd(GARBAGE, to)
    return true
  }
  if (fault?.kind === "raw") {
    void sendRawSteps(fault, to)
    return true
  }
  if (fault?.kind === "reply") {
    const body = Buffer.from(fault.body)
    const headers = { "content-type": "application/json", ...fault.headers }
    to.response.writeHead(fault.status ?? 200, headers)
    sendAndEnd(body, to)
    return true
  }
  return false
}

/** Sends the steps until the client disconnects. */
const sendRawSteps = async (
  { steps, ends = "open" }: Extract<Fault, { kind: "raw" }>,
  { response, disconnectSignal, markOwnClose }: ResponseDelivery,
): Promise<void> => {
  const { socket } = response
  if (!socket) return
  for (const step of steps) {
    if (disconnectSignal.aborted) return
    if (typeof step === "number") await waitOrDisconnect(step, disconnectSignal)
    else await writeWithBackpressure(socket, step, disconnectSignal)
  }
  if (ends === "open" || disconnectSignal.aborted) return
  if (ends === "reset") await waitOrDisconnect(20, disconnectSignal)
  markOwnClose()
  if (ends === "reset") socket.resetAndDestroy()
  else socket.end()
}

/** Sends the response with the fault applied; stops silently when the client disconnects. */
export const deliverResponse = async (
  response: FakeResponse,
  fault: Fault | undefined,
  to: ResponseDelivery,
) => {
  if (fault?.kind === "slow_headers") await waitOrDisconnect(fault.ms, to.disconnectSignal)
  if ("body" in response && response.startDelayMs !== undefined)
    await waitOrDisconnect(response.startDelayMs, to.disconnectSignal)
  if (to.disconnectSignal.aborted) return
  if ("body" in response && !affectsFrames(fault)) {
    const body = Buffer.from(response.body)
    const length = { "content-length": String(body.length) }
    to.response.writeHead(response.status, { ...response.headers, ...length })
    sendAndEnd(body, to)
    return
  }
  const frames = "frames" in response ? response.frames : splitIntoEight(response.body)
  const ownDelay = "frames" in response ? response.delayMs : 0
  to.response.writeHead(response.status, response.headers).flushHeaders()
  await sendFrames({
    frames,
    delayMs: fault?.kind === "slow_frames" ? fault.ms : ownDelay,
    fault,
    to,
  })
}

/** Resolves after the time or when the client disconnects, whichever comes first. */
const waitOrDisconnect = async (ms: number, disconnectSignal: AbortSignal): Promise<void> => {
  if (ms > 0) await wait(ms, undefined, { signal: disconnectSignal }).catch(() => undefined)
}

type StopFault = Extract<Fault, { after: number }>
type FrameDelivery = {
  frames: Iterable<string>
  delayMs: number
  fault: Fault | undefined
  to: ResponseDelivery
}

const sendFrames = async ({ frames, delayMs, fault, to }: FrameDelivery) => {
  const stop = fault !== undefined && "after" in fault ? fault : undefined
  let sent = 0
  for (const frame of frames) {
    if (stop !== undefined && sent === stop.after) return applyStopFault(stop, frame, to)
    if (sent > 0) await waitOrDisconnect(delayMs, to.disconnectSignal)
    if (to.disconnectSignal.aborted) return
    await writeFrame(Buffer.from(frame), to)
    sent += 1
  }
  if (stop !== undefined) return applyStopFault(stop, "", to)
  to.response.end()
}

const applyStopFault = async (stop: StopFault, next: string, to: ResponseDelivery) => {
  if (stop.kind === "last_words") {
    sendAndEnd(Buffer.from(stop.frame), to)
    return
  }
  const bytes = Buffer.from(next)
  if (stop.torn === true) await writeFrame(bytes.subarray(0, Math.ceil(bytes.length / 2)), to)
  if (stop.kind === "silence") return
  if (stop.by === "end") {
    to.response.end()
    return
  }
  // An RST discards bytes that are still in the send buffer, so allow them time to arrive.
  await waitOrDisconnect(20, to.disconnectSignal)
  to.markOwnClose()
  if (stop.by === "close") to.response.socket?.destroy()
  else to.response.socket?.resetAndDestroy()
}

const sendAndEnd = (bytes: Buffer, { response, recordSent }: ResponseDelivery) => {
  recordSent(bytes)
  response.end(bytes)
}

const writeFrame = async (
  frame: Buffer,
  { response, disconnectSignal, recordSent }: ResponseDelivery,
) => {
  recordSent(frame)
  await writeWithBackpressure(response, frame, disconnectSignal)
}

const writeWithBackpressure = async (
  to: Writable,
  bytes: Buffer | string,
  disconnectSignal: AbortSignal,
): Promise<void> => {
  if (to.write(bytes) || disconnectSignal.aborted) return
  await new Promise<void>((resolve) => {
    const next = (): void => {
      to.off("drain", next)
      disconnectSignal.removeEventListener("abort", next)
      resolve()
    }
    to.once("drain", next)
    disconnectSignal.addEventListener("abort", next, { once: true })
  })
}

const affectsFrames = (fault: Fault | undefined): boolean =>
  fault !== undefined && ("after" in fault || fault.kind === "slow_frames")

const splitIntoEight = (body: string): string[] => {
  const cuts = Array.from({ length: 9 }, (_, piece) => Math.floor((piece * body.length) / 8))
  return cuts.slice(1).map((end, piece) => body.slice(cuts[piece], end))
}
