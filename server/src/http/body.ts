import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { type BodySink, pauseUntilNextIteration } from "@portico/http1"
import { Failure, fail } from "../errors.ts"
import { BodyBuffer, type BodyLimits, bodyTooLarge, type JsonBody } from "./body-buffer.ts"
import { nestingTooDeep } from "./json-limits.ts"
import { isNestingWithin } from "./json-members.ts"

/** Never sent; classifies the disconnect as a client error in the log. */
export const clientDisconnected = (): Failure =>
  new Failure("bad_request", "The client disconnected before sending the whole request.")

/** Deeper than any real request. Much deeper JSON takes seconds to parse or overflows the stack. */
export const maxDepth = 500

/** Reads a whole body into `sink`; an error thrown by the sink rejects the promise. */
const readInto = <T>(incoming: IncomingMessage, sink: BodySink<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // Once settled the listeners do nothing; they are released with the request.
    let isSettled = false
    const guarded = (work: () => void): void => {
      if (isSettled) return
      try {
        work()
      } catch (error) {
        isSettled = true
        reject(error)
      }
    }
    incoming.on("data", (chunk: Buffer) =>
      guarded(() => {
        sink.push(chunk)
        if (sink.isLarge) pauseUntilNextIteration(incoming)
      }),
    )
    incoming.on("end", () =>
      guarded(() => {
        resolve(sink.end())
        isSettled = true
      }),
    )
    const onDisconnect = (): void =>
      guarded(() => {
        throw clientDisconnected()
      })
    incoming.on("error", onDisconnect)
    incoming.on("close", onDisconnect)
    // `close` may already have been emitted while the caller was looked up.
    if (incoming.destroyed) onDisconnect()
  })

const declaredLength = ({ headers }: IncomingMessage): number | undefined => {
  const declared = headers["content-length"]
  return declared === undefined ? undefined : Number(declared)
}

/**
 * Reads a non-JSON body.
 * @throws {Failure} `body_too_large` as soon as the body is known to exceed `maxBytes`
 */
export const readBytes = (incoming: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  if ((declaredLength(incoming) ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
  const chunks: Buffer[] = []
  let length = 0
  return readInto(incoming, {
    push: (chunk) => {
      length += chunk.length
      if (length > maxBytes) throw bodyTooLarge(maxBytes)
      chunks.push(chunk)
    },
    end: () => Buffer.concat(chunks, length),
  })
}

/**
 * Reads a JSON body; a large one is validated as it arrives.
 * @throws {Failure} `body_too_large`, `invalid_json` or `bad_request`, as early as possible
 */
export const readJson = (incoming: IncomingMessage, limits: BodyLimits): Promise<JsonBody> =>
  readInto(incoming, new BodyBuffer(limits, declaredLength(incoming)))

/**
 * Parses a body as JSON regardless of its Content-Type.
 * @throws {Failure} `invalid_json`
 */
export const parseJsonBody = ({ bytes, scan }: JsonBody, what = "The body"): unknown => {
  if (bytes.length === 0) fail("invalid_json", `${what} is empty. Send a JSON object.`)
  if (!isUtf8(bytes)) fail("invalid_json", `${what} is not valid UTF-8.`)
  if (!scan && !isNestingWithin(bytes, maxDepth)) throw nestingTooDeep(maxDepth)
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it could not be parsed"
    return fail("invalid_json", `${what} is not valid JSON: ${reason.slice(0, 200)}`)
  }
}

/** Whether every supported database can store a text: no U+0000, no lone surrogates. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const joined = (key: string, inner: string): string => (inner === "" ? key : `${key}.${inner}`)

const findUnstorableElement = (list: readonly unknown[]): string | null => {
  for (let at = 0; at < list.length; at++) {
    const inner = findUnstorable(list[at])
    if (inner !== null) return joined(String(at), inner)
  }
  return null
}

/**
 * Path of the first unstorable text, "" for `value` itself. Allocates nothing for valid values: a
 * body may have 100,000 elements.
 */
const findUnstorable = (value: unknown): string | null => {
  if (typeof value === "string") return isStorable(value) ? null : ""
  if (typeof value !== "object" || value === null) return null
  if (Array.isArray(value)) return findUnstorableElement(value)
  for (const key in value) {
    if (!isStorable(key)) return key
    const inner = findUnstorable((value as Record<string, unknown>)[key])
    if (inner !== null) return joined(key, inner)
  }
  return null
}

/** Path of the first text that not every database can store (U+0000, lone surrogates), or null. */
export const findUnstorablePath = (value: unknown): string | null => {
  const path = findUnstorable(value)
  return path === "" ? "body" : path
}

/** Like `findUnstorablePath` for a value parsed from `bytes`: only `\u` escapes can produce such text. */
export const findUnstorableInBody = (bytes: Buffer, value: unknown): string | null =>
  bytes.includes("\\u") ? findUnstorablePath(value) : null
