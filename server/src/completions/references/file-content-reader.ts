import { buffer } from "node:stream/consumers"
import { fail } from "../../errors.ts"
import type { StoredFile } from "../../files/file-store.ts"
import type { Files } from "../../files/files.ts"
import type { ObjectStore } from "../../files/object-store.ts"
import { ownValue } from "../../formats/json-values.ts"
import type { Caller } from "../../http/caller.ts"
import type { SearchableFiles } from "../../knowledge/search/searchable-files.ts"

/** For the files of one request together. */
export const maxFileBytes = 10_000_000

export interface FileContentDeps {
  files: Pick<Files, "text" | "filterExisting">
  searchableFiles: SearchableFiles
  objects: Pick<ObjectStore, "read">
}

/** What a model gets of a file. */
export interface FileContent {
  filename: string
  mediaType: string
  /** The bytes in base64, of images and PDF documents; null if `text` is used. */
  data: string | null
  text: string
}

/** A file that a request refers to, before its content is read. */
export interface FoundFile {
  filename: string
  mediaType: string
  /** In bytes, or in characters if its text is used. */
  size: number
  /** The size as part of a request: base64 is larger. */
  encodedSize: number
  /** @throws {Failure} `file_not_found` or `file_lost` */
  read: () => Promise<FileContent>
}

/** The request's parameter, named in errors. */
const param = "file_id"

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

/** Finds files, and reads what a model gets of them. */
export const createFileContentReader = ({ files, searchableFiles, objects }: FileContentDeps) => {
  const readBytes = async ({ hash, filename }: StoredFile): Promise<string> => {
    const stream = await objects.read(hash)
    if (!stream) {
      const message = `The content of "${filename}" is missing. Upload the file again.`
      return fail("file_lost", message, { param })
    }
    return (await buffer(stream)).toString("base64")
  }

  const find = async (caller: Caller, id: string, signal: AbortSignal): Promise<FoundFile> => {
    const file = await searchableFiles.find(caller, id, param)
    const { filename } = file
    const mediaType = mediaTypeOf(file.content_type, filename)
    if (!isSentAsBytes(mediaType)) {
      const read = await searchableFiles.waitUntilSearchable(file, { param, signal })
      const size = read.text_length ?? 0
      return {
        ...{ filename, mediaType, size, encodedSize: size },
        read: async () => {
          const { content } = await files.text(caller, id, { start: 0, end: size })
          return { filename, mediaType, data: null, text: content }
        },
      }
    }
    const encodedSize = Math.ceil(file.size / 3) * 4
    return {
      ...{ filename, mediaType, size: file.size, encodedSize },
      read: async () => ({ filename, mediaType, data: await readBytes(file), text: "" }),
    }
  }

  return {
    /** @throws {Failure} `file_not_found`, `file_not_ready` or `file_unreadable` */
    find,

    /** Whether the file was not deleted, even if the caller cannot read it. */
    exists: async (id: string): Promise<boolean> => (await files.filterExisting([id])).has(id),
  }
}

export type FileContentReader = ReturnType<typeof createFileContentReader>
