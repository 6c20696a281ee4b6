import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { Busboy, type BusboyInstance } from "@fastify/busboy"
import { Failure, fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import { parseJson, unstorableIn } from "../http/body.ts"
import { costs, type LoopShare } from "../limits/fair-loop.ts"
import { sniff } from "./file-type.ts"
import type { Objects, Received } from "./objects.ts"

/** Allowance for boundaries, headers and small fields in addition to the file. */
const maxFieldsBytes = 1_000_000
const maxMetadata = 100_000

export interface Upload {
  received: Received
  filename: string
  content_type: string
  metadata: Record<string, unknown>
}

interface Deps {
  objects: Objects
  /** Maximum size, in bytes. */
  limit: number
  /** Whether to reject files without extractable text. */
  mustBeReadable: boolean
  share: LoopShare
}

export const tooLarge = (limit: number): never =>
  fail("body_too_large", `The file is too large (maximum ${limit} bytes).`)

/** The last path segment, with `/` or `\` as separator; never a path. */
export const nameOf = (sent: string | undefined): string => {
  const last = (sent ?? "").split(/[/\\]/).at(-1) ?? ""
  const clean = last
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(-255)
  return clean === "" || clean === "." || clean === ".." ? "file" : clean
}

export const metadataOf = (text: string): Record<string, unknown> => {
  if (text.trim() === "") return {}
  const bytes = Buffer.from(text)
  const value = parseJson({ bytes, scan: null }, "The part `metadata`")
  if (!isObject(value)) return fail("bad_request", "The part `metadata` must be a JSON object.")
  if (unstorableIn(bytes, value) === null) return value
  return fail("invalid", "The part `metadata` must not contain U+0000 or lone surrogates.")
}

/** @param head the first 4 KB, or the whole file if shorter */
export const refuseUnreadable = (head: Buffer): void => {
  const kind = head.length > 0 ? sniff(head) : null
  if (!kind || !("unreadable" in kind)) return
  fail(
    "unsupported_media_type",
    `This file type isn't supported: no text can be extracted from ${kind.unreadable}.`,
  )
}

const openForm = (incoming: IncomingMessage): BusboyInstance => {
  const type = incoming.headers["content-type"] ?? ""
  try {
    return new Busboy({
      headers: { ...incoming.headers, "content-type": type },
      limits: { fields: 20, parts: 30, fieldSize: maxMetadata },
    })
  } catch {
    return fail("bad_request", "Send the file as multipart/form-data in a part named `file`.")
  }
}

/**
 * Streams an upload; only one chunk is in memory at a time.
 * @throws {Failure} `body_too_large`, `unsupported_media_type` or `bad_request`
 */
export const readUpload = (
  incoming: IncomingMessage,
  { objects, limit, mustBeReadable, share }: Deps,
): Promise<Upload> => {
  if (Number(incoming.headers["content-length"]) > limit + maxFieldsBytes) tooLarge(limit)
  const form = openForm(incoming)

  return new Promise((resolve, reject) => {
    let file: { filename: string; content_type: string; received: Promise<Received> } | undefined
    let metadata = ""
    let current: Readable | undefined
    let over = false

    const refuse = (error: unknown): void => {
      if (over) return
      over = true
      incoming.unpipe(form)
      incoming.resume()
      current?.destroy(new Error("refused"))
      void file?.received.then((received) => received.drop()).catch(() => {})
      reject(error)
    }
    const receive = (part: Readable): Promise<Received> =>
      objects.receive(part, {
        look: (head) => {
          if (mustBeReadable) refuseUnreadable(head)
        },
        count: (size) => void (size > limit && tooLarge(limit)),
        turn: () => share.turn(costs.upload),
      })

    form.on("file", (name, part, sent, _encoding, type) => {
      part.on("error", () => {})
      if (name !== "file" || file) {
        part.resume()
        if (name === "file")
          refuse(new Failure("bad_request", "Send exactly one part named `file`."))
        return
      }
      current = part
      const received = receive(part)
      file = { filename: nameOf(sent), content_type: type, received }
      received.catch(refuse)
    })
    form.on("field", (name, value) => {
      if (name === "metadata") metadata = value
      if (name === "file") {
        refuse(new Failure("bad_request", "The part `file` has no filename. Send it as a file."))
      }
    })
    form.on("error", (error) =>
      refuse(new Failure("bad_request", "The multipart body is malformed.", { cause: error })),
    )
    form.on("finish", () => {
      if (over) return
      if (!file) return refuse(new Failure("bad_request", "The part `file` is missing."))
      const { filename, content_type } = file
      file.received.then(async (received) => {
        if (over) return received.drop()
        try {
          if (received.size === 0) fail("bad_request", "The file is empty.")
          const parsed = metadataOf(metadata)
          over = true
          resolve({ received, filename, content_type, metadata: parsed })
        } catch (error) {
          refuse(error)
        }
      }, refuse)
    })
    const left = (): void =>
      refuse(new Failure("bad_request", "The client disconnected during the upload."))
    incoming.once("aborted", left)
    incoming.once("error", left)
    incoming.once("close", () => {
      if (!incoming.complete) left()
    })
    // The event fires once and may have fired while storage was being reserved.
    if (incoming.destroyed) left()
    incoming.pipe(form)
  })
}
