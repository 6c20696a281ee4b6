import { buffer } from "node:stream/consumers"
import { fail } from "../errors.ts"
import type { Files } from "../files/files.ts"
import type { ObjectStore } from "../files/object-store.ts"
import { ownValue } from "../formats/json-values.ts"
import type { Caller } from "../http/caller.ts"

/** For the files of one request together. */
export const maxFileBytes = 10_000_000
const processingWaitMs = 30_000

export interface FileContentDeps {
  files: Pick<Files, "readable" | "waitForFile" | "text">
  objects: Pick<ObjectStore, "read">
}

export interface FileContent {
  filename: string
  mediaType: string
  size: number
  /** The bytes in base64, of images and PDF documents; null if `text` is used. */
  data: string | null
  text: string
}

/** For files whose upload named no type. */
const mediaTypeByExtension: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
}

const mediaTypeOf = (contentType: string, filename: string): string => {
  const named = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (named !== "" && named !== "application/octet-stream") return named
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()
  return ownValue(mediaTypeByExtension, extension) ?? named
}

const isSentAsBytes = (mediaType: string): boolean =>
  mediaType.startsWith("image/") || mediaType === "application/pdf"

/** Reads what a model gets of a file. */
export const createFileContentReader = ({ files, objects }: FileContentDeps) => {
  const readBytes = async (hash: string): Promise<string | null> => {
    const stream = await objects.read(hash)
    return stream && (await buffer(stream)).toString("base64")
  }

  const readText = async (caller: Caller, id: string, signal: AbortSignal): Promise<string> => {
    const isReady = ({ status }: { status: string }): boolean =>
      status !== "pending" && status !== "processing"
    const file = await files.waitForFile(id, isReady, { ms: processingWaitMs, signal })
    const details = { param: "file_id" }
    if (!file) return fail("file_not_found", "The file was deleted.", details)
    if (!isReady(file)) {
      const message = `The file "${file.filename}" is still being processed. Try again shortly.`
      fail("file_not_ready", message, { ...details, headers: { "retry-after": "5" } })
    }
    if (file.status === "stored") {
      const message = `The file "${file.filename}" was uploaded with process=false. Process it first.`
      fail("file_not_ready", message, details)
    }
    if (file.status === "failed") {
      const message = `The file "${file.filename}" cannot be read: ${file.error ?? "unknown error"}`
      fail("file_unreadable", message, details)
    }
    return (await files.text(caller, id, { start: 0 })).content
  }

  /** @throws {Failure} `file_not_found`, `file_not_ready`, `file_unreadable` or `file_lost` */
  return async (caller: Caller, id: string, signal: AbortSignal): Promise<FileContent> => {
    const file = await files.readable(caller, id).catch(() => {
      const message = `The file "${id.slice(0, 100)}" does not exist, or you do not have access to it.`
      return fail("file_not_found", message, { param: "file_id" })
    })
    const { filename, size } = file
    const mediaType = mediaTypeOf(file.content_type, filename)
    if (!isSentAsBytes(mediaType)) {
      const text = await readText(caller, id, signal)
      return { filename, mediaType, data: null, text, size: text.length }
    }
    if (size > maxFileBytes) return { filename, mediaType, data: null, text: "", size }
    const data = await readBytes(file.hash)
    if (data === null) fail("file_lost", `The content of "${filename}" is missing.`)
    return { filename, mediaType, data, text: "", size }
  }
}

export type ReadFileContent = ReturnType<typeof createFileContentReader>
