import { buffer } from "node:stream/consumers"
import { fail } from "../errors.ts"
import type { Files } from "../files/files.ts"
import type { ObjectStore } from "../files/object-store.ts"
import { ownValue } from "../formats/json-values.ts"
import type { Caller } from "../http/caller.ts"
import type { SearchableFiles } from "../knowledge/searchable-files.ts"

/** For the files of one request together. */
export const maxFileBytes = 10_000_000

export interface FileContentDeps {
  files: Pick<Files, "text">
  searchableFiles: SearchableFiles
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
export const createFileContentReader = ({ files, searchableFiles, objects }: FileContentDeps) => {
  const readBytes = async (hash: string): Promise<string | null> => {
    const stream = await objects.read(hash)
    return stream && (await buffer(stream)).toString("base64")
  }

  /** @throws {Failure} `file_not_found`, `file_not_ready`, `file_unreadable` or `file_lost` */
  return async (caller: Caller, id: string, signal: AbortSignal): Promise<FileContent> => {
    const param = "file_id"
    const file = await searchableFiles.find(caller, id, param)
    const { filename, size } = file
    const mediaType = mediaTypeOf(file.content_type, filename)
    if (!isSentAsBytes(mediaType)) {
      await searchableFiles.waitUntilSearchable(file, { param, signal })
      const { content } = await files.text(caller, id, { start: 0 })
      return { filename, mediaType, data: null, text: content, size: content.length }
    }
    if (size > maxFileBytes) return { filename, mediaType, data: null, text: "", size }
    const data = await readBytes(file.hash)
    if (data === null) fail("file_lost", `The content of "${filename}" is missing.`)
    return { filename, mediaType, data, text: "", size }
  }
}

export type ReadFileContent = ReturnType<typeof createFileContentReader>
