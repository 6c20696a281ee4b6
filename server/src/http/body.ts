import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { Failure, fail } from "../errors.ts"
import { nestingWithin } from "./members.ts"

export const tooLarge = (limit: number): Failure =>
  new Failure(
    "body_too_large",
    `The body has more than ${limit} bytes, which is the most accepted here`,
  )

/** Nobody reads this refusal; it keeps the log from calling it a fault of ours. */
export const leftMidway = (): Failure =>
  new Failure("bad_request", "The client left in mid-request")

/** Deeper than any real request; far deeper, parsing takes seconds and recursion has no stack. */
const deepestNesting = 500

/**
 * Reads the whole body.
 * @throws {Failure} `body_too_large` past `limit` bytes, as soon as that is known
 */
export const readBytes = (incoming: IncomingMessage, limit: number): Promise<Buffer> => {
  if (Number(incoming.headers["content-length"]) > limit) throw tooLarge(limit)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    // The listeners stay; they go with the request, and hear nothing any more.
    let over = false
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (over) return
      if (length <= limit) return void chunks.push(chunk)
      over = true
      reject(tooLarge(limit))
    })
    incoming.on("end", () => {
      over = true
      const [only] = chunks
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length))
    })
    const left = (): void => {
      if (over) return
      over = true
      reject(leftMidway())
    }
    incoming.on("error", left)
    incoming.on("close", left)
  })
}

/**
 * Parses a body as JSON, whatever its Content-Type says.
 * @throws {Failure} `invalid_json`
 */
export const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) fail("invalid_json", "The body is empty; a JSON object is expected")
  if (!isUtf8(bytes)) fail("invalid_json", "The body is not UTF-8 text")
  if (!nestingWithin(bytes, deepestNesting)) {
    fail("invalid_json", `The body nests deeper than ${deepestNesting} levels`)
  }
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it could not be parsed"
    return fail("invalid_json", `The body is not JSON: ${reason.slice(0, 200)}`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is refused
const unstorable = /\u0000|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Finds text that not every database can keep: U+0000 and lone surrogates. */
export const unstorablePath = (value: unknown, path = ""): string | null => {
  if (typeof value === "string") return unstorable.test(value) ? path || "body" : null
  if (typeof value !== "object" || value === null) return null
  const bad = Object.entries(value).map(([key, inner]) => {
    const here = path ? `${path}.${key}` : key
    return unstorable.test(key) ? here : unstorablePath(inner, here)
  })
  return bad.find((found) => found !== null) ?? null
}
