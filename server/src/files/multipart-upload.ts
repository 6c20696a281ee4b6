import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { Busboy, type BusboyInstance } from "@fastify/busboy"
import { detectFileType } from "@portico/extract"
import { type EventLoopShare, turnCosts } from "../concurrency/fair-event-loop.ts"
import { Failure, fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import { findUnstorableInBody, parseJsonBody } from "../http/body.ts"
import { translatable } from "../i18n/message.ts"
import type { ObjectStore, ReceivedObject } from "./object-store.ts"

/** Allowance for boundaries, headers and small fields in addition to the file. */
const maxFieldsBytes = 1_000_000
const maxMetadataBytes = 100_000

export interface FileUpload {
  received: ReceivedObject
  filename: string
  content_type: string
  metadata: Record<string, unknown>
}

interface Deps {
  objects: ObjectStore
  /** Maximum size, in bytes. */
  limit: number
  /** Whether to reject files without extractable text. */
  requiresText: boolean
  share: EventLoopShare
}

export const failTooLarge = (limit: number): never =>
  fail("body_too_large", translatable("file_too_large", { max: limit }))

/** The last path segment, with `/` or `\` as separator; never a path. */
export const sanitizeFilename = (sent: string | undefined): string => {
  const last = (sent ?? "").split(/[/\\]/).at(-1) ?? ""
  const clean = last
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(-255)
  return clean === "" || clean === "." || clean === ".." ? "file" : clean
}

export const parseMetadata = (text: string): Record<string, unknown> => {
  if (text.trim() === "") return {}
  const bytes = Buffer.from(text)
  const value = parseJsonBody({ bytes, scan: null }, "The part `metadata`")
  if (!isObject(value)) return fail("bad_request", "The part `metadata` must be a JSON object.")
  if (findUnstorableInBody(bytes, value) === null) return value
  return fail("invalid", "The part `metadata` must not contain U+0000 or lone surrogates.")
}

/** @param head the first 4 KB, or the whole file if shorter */
export const rejectUnreadable = (head: Buffer): void => {
  const detected = head.length > 0 ? detectFileType(head) : null
  if (!detected || !("unreadable" in detected)) return
  fail(
    "unsupported_media_type",
    translatable("file_type_unsupported", { type: translatable(detected.unreadable) }),
  )
}

const createFormParser = (incoming: IncomingMessage): BusboyInstance => {
  const type = incoming.headers["content-type"] ?? ""
  try {
    return new Busboy({
      headers: { ...incoming.headers, "content-type": type },
      limits: { fields: 20, parts: 30, fieldSize: maxMetadataBytes },
    })
  } catch {
    return fail("bad_request", "Send the file as multipart/form-data in a part named `file`.")
  }
}

/**
 * Streams an upload; only one chunk is in memory at a time.
 * @throws {Failure} `body_too_large`, `unsupported_media_type` or `bad_request`
 */
export const readMultipartUpload = (
  incoming: IncomingMessage,
  { objects, limit, requiresText, share }: Deps,
): Promise<FileUpload> => {
  if (Number(incoming.headers["content-length"]) > limit + maxFieldsBytes) failTooLarge(limit)
  const form = createFormParser(incoming)

  return new Promise((resolve, reject) => {
    let file:
      | { filename: string; content_type: string; received: Promise<ReceivedObject> }
      | undefined
    let metadata = ""
    let current: Readable | undefined
    let isDone = false

    const abortUpload = (error: unknown): void => {
      if (isDone) return
      isDone = true
      incoming.unpipe(form)
      incoming.resume()
      current?.destroy(new Error("refused"))
      // If it was not received, nothing has to be discarded.
      void file?.received.then((received) => received.discard()).catch(() => {})
      reject(error)
    }
    const refuse = (message: string, cause?: unknown): void =>
      abortUpload(new Failure("bad_request", message, { cause }))
    const receive = (part: Readable): Promise<ReceivedObject> =>
      objects.receive(part, {
        onHead: (head) => {
          if (requiresText) rejectUnreadable(head)
        },
        onSize: (size) => void (size > limit && failTooLarge(limit)),
        yieldTurn: () => share.turn(turnCosts.upload),
      })

    form.on("file", (name, part, sent, _encoding, type) => {
      part.on("error", () => {})
      if (name !== "file" || file) {
        part.resume()
        if (name === "file") refuse("Send exactly one part named `file`.")
        return
      }
      current = part
      const received = receive(part)
      file = { filename: sanitizeFilename(sent), content_type: type, received }
      received.catch(abortUpload)
    })
    form.on("field", (name, value) => {
      if (name === "metadata") metadata = value
      if (name === "file") refuse("The part `file` has no filename. Send it as a file.")
    })
    form.on("error", (error) => refuse("The multipart body is malformed.", error))
    form.on("finish", () => {
      if (isDone) return
      if (!file) return refuse("The part `file` is missing.")
      const { filename, content_type } = file
      file.received.then(async (received) => {
        if (isDone) return received.discard()
        try {
          if (received.size === 0) fail("bad_request", translatable("file_empty"))
          const parsed = parseMetadata(metadata)
          isDone = true
          resolve({ received, filename, content_type, metadata: parsed })
        } catch (error) {
          abortUpload(error)
        }
      }, abortUpload)
    })
    const onDisconnect = (): void => refuse("The client disconnected during the upload.")
    incoming.once("aborted", onDisconnect)
    incoming.once("error", onDisconnect)
    incoming.once("close", () => {
      if (!incoming.complete) onDisconnect()
    })
    // The event fires once and may have fired while storage was being reserved.
    if (incoming.destroyed) onDisconnect()
    incoming.pipe(form)
  })
}
