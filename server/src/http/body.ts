import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { Failure, fail } from "../errors.ts"
import { BodyBuffer, type BodyLimits, type JsonBody, tooLarge } from "./body-buffer.ts"
import { nestingWithin } from "./json-members.ts"
import { tooDeep } from "./json-scanner.ts"

/** Nobody reads this refusal; it keeps the log from calling it a fault of ours. */
export const leftMidway = (): Failure =>
  new Failure("bad_request", "The client left in mid-request")

/** Deeper than any real request; far deeper, parsing takes seconds and recursion has no stack. */
export const maxDepth = 500

/**
 * Has a stream wait for the next turn of the event loop. Left alone, a socket that has more to give
 * gives up to 32 chunks in one turn, and everybody else waits for all of them.
 */
export const takeTurns = (stream: Readable): void => {
  stream.pause()
  setImmediate(() => stream.resume())
}

interface BodySink<T> {
  push(chunk: Buffer): void
  /** Whether a chunk takes so long that others are to have their turn before the next one. */
  readonly isLarge?: boolean
  end(): T
}

/** Reads a whole body into `sink`; what that throws is the end of the reading. */
const readInto = <T>(incoming: IncomingMessage, sink: BodySink<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // The listeners stay; they go with the request, and hear nothing any more.
    let isOver = false
    const guarded = (work: () => void): void => {
      if (isOver) return
      try {
        work()
      } catch (error) {
        isOver = true
        reject(error)
      }
    }
    incoming.on("data", (chunk: Buffer) =>
      guarded(() => {
        sink.push(chunk)
        if (sink.isLarge) takeTurns(incoming)
      }),
    )
    incoming.on("end", () =>
      guarded(() => {
        resolve(sink.end())
        isOver = true
      }),
    )
    const left = (): void =>
      guarded(() => {
        throw leftMidway()
      })
    incoming.on("error", left)
    incoming.on("close", left)
    // It says so once, and may have done so while its caller was looked up.
    if (incoming.destroyed) left()
  })

const declaredLength = ({ headers }: IncomingMessage): number | undefined => {
  const declared = headers["content-length"]
  return declared === undefined ? undefined : Number(declared)
}

/**
 * Reads a body that is no JSON.
 * @throws {Failure} `body_too_large` past `maxBytes`, as soon as that is known
 */
export const readBytes = (incoming: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  if ((declaredLength(incoming) ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let length = 0
  return readInto(incoming, {
    push: (chunk) => {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    },
    end: () => Buffer.concat(chunks, length),
  })
}

/**
 * Reads a JSON body; a large one is checked on its way.
 * @throws {Failure} `body_too_large`, `invalid_json` or `bad_request`, as soon as that is known
 */
export const readJson = (incoming: IncomingMessage, limits: BodyLimits): Promise<JsonBody> =>
  readInto(incoming, new BodyBuffer(limits, declaredLength(incoming)))

/**
 * Parses a body as JSON, whatever its Content-Type says.
 * @throws {Failure} `invalid_json`
 */
export const parseJson = ({ bytes, scan }: JsonBody, what = "The body"): unknown => {
  if (bytes.length === 0) fail("invalid_json", `${what} is empty; a JSON object is expected`)
  if (!isUtf8(bytes)) fail("invalid_json", `${what} is not UTF-8 text`)
  if (!scan && !nestingWithin(bytes, maxDepth)) throw tooDeep(maxDepth)
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it could not be parsed"
    return fail("invalid_json", `${what} is not JSON: ${reason.slice(0, 200)}`)
  }
}

/** Whether every database can keep a text: it has no U+0000 and no lone surrogate. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const joined = (key: string, inner: string): string => (inner === "" ? key : `${key}.${inner}`)

const unstorableElement = (list: readonly unknown[]): string | null => {
  for (let at = 0; at < list.length; at++) {
    const inner = unstorableWithin(list[at])
    if (inner !== null) return joined(String(at), inner)
  }
  return null
}

/**
 * Finds text that not every database can keep; "" where it is `value` itself. Nothing is made for
 * what is well: a body may have a hundred thousand elements.
 */
const unstorableWithin = (value: unknown): string | null => {
  if (typeof value === "string") return isStorable(value) ? null : ""
  if (typeof value !== "object" || value === null) return null
  if (Array.isArray(value)) return unstorableElement(value)
  for (const key in value) {
    if (!isStorable(key)) return key
    const inner = unstorableWithin((value as Record<string, unknown>)[key])
    if (inner !== null) return joined(key, inner)
  }
  return null
}

/** Finds text that not every database can keep: U+0000 and lone surrogates. */
export const unstorablePath = (value: unknown): string | null => {
  const path = unstorableWithin(value)
  return path === "" ? "body" : path
}

/** As `unstorablePath`, for what was parsed from `bytes`: only an escape can stand for such text. */
export const unstorableIn = (bytes: Buffer, value: unknown): string | null =>
  bytes.includes("\\u") ? unstorablePath(value) : null
