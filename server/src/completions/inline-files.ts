import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { Failure, type FailureCode, fail } from "../errors.ts"
import { type Fields, isObject, textOf } from "../formats/json-values.ts"
import type { ReserveMemory } from "../http/body-memory.ts"
import type { Caller } from "../http/caller.ts"
import { parseAllFields } from "../http/json-object.ts"
import {
  type FileContent,
  type FindFileContent,
  type FoundFile,
  maxFileBytes,
} from "./file-content.ts"
import { replaceFields } from "./pass-through-request.ts"
import { isResponsesOperation, type ModelRequest } from "./request.ts"

const dataUrlOf = ({ mediaType, data }: FileContent): string => `data:${mediaType};base64,${data}`

const titledText = ({ filename, text }: FileContent): string => `${filename}\n\n${text}`

const referringTypes = new Set(["input_file", "input_image", "image", "document"])
/** Other ids are left to the provider: they may be of its own files. */
const gatewayFileId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of the gateway's file that a part refers to; null if it refers to no file. */
const fileIdOf = (part: Fields): string | null => {
  const { type, source } = part
  if (!referringTypes.has(textOf(type))) return null
  const { file_id } = isObject(source) && source.type === "file" ? source : part
  return gatewayFileId.test(textOf(file_id)) ? textOf(file_id) : null
}

const toSource = (content: FileContent): Fields =>
  content.data === null
    ? { type: "text", media_type: "text/plain", data: content.text }
    : { type: "base64", media_type: content.mediaType, data: content.data }

/** The part with the content in place of the reference. */
const replacePart = ({ file_id: _id, ...part }: Fields, content: FileContent): Fields => {
  if (isObject(part.source)) return { ...part, source: toSource(content) }
  if (content.data === null) return { type: "input_text", text: titledText(content) }
  if (part.type === "input_image") return { ...part, image_url: dataUrlOf(content) }
  return { ...part, filename: content.filename, file_data: dataUrlOf(content) }
}

const checkKind = (part: Fields, { mediaType, filename }: FoundFile): void => {
  const expectsImage = part.type === "input_image" || part.type === "image"
  if (expectsImage && !mediaType.startsWith("image/")) {
    fail("bad_request", `The file "${filename}" is not an image.`, { param: "file_id" })
  }
}

/** Members of items and messages that contain parts. */
const nestedMembers = ["content", "output"]
const fileIdMark = Buffer.from('"file_id"')
/** As in `files` of chat completions. Each reference counts, also if several name the same file. */
const maxReferences = 100

interface FileReference {
  part: Fields
  id: string
  /** Whether it is part of a stored item: the client may not know it any more. */
  isStored: boolean
}

const failTooManyReferences = (): never => {
  const message = `A request can refer to at most ${maxReferences} files, with its history. Send fewer of them.`
  return fail("bad_request", message, { param: "file_id" })
}

/** Finds the references in a value, in their order. @throws {Failure} if there are too many */
const collectReferences = (value: unknown, isStored: boolean, found: FileReference[]): void => {
  if (!isObject(value)) return
  const id = fileIdOf(value)
  if (id !== null) {
    if (found.push({ part: value, id, isStored }) > maxReferences) failTooManyReferences()
    return
  }
  for (const name of nestedMembers) {
    const nested = value[name]
    if (!Array.isArray(nested)) continue
    for (const inner of nested) collectReferences(inner, isStored, found)
  }
}

/** `null` if the file no longer exists. */
type Contents = ReadonlyMap<string, FileContent | null>

const lostPart = (part: Fields, id: string): Fields => ({
  type: isObject(part.source) ? "text" : "input_text",
  text: `[The file "${id}" is no longer available.]`,
})

const replaceReferences = (value: unknown, contents: Contents): unknown => {
  if (!isObject(value)) return value
  const id = fileIdOf(value)
  if (id !== null) {
    const content = contents.get(id)
    return content ? replacePart(value, content) : lostPart(value, id)
  }
  const changed = { ...value }
  for (const name of nestedMembers) {
    const nested = value[name]
    if (!Array.isArray(nested)) continue
    changed[name] = nested.map((inner) => replaceReferences(inner, contents))
  }
  return changed
}

/** Reasons for which the content of a file will never be available again. */
const lostCodes = new Set<FailureCode>(["file_not_found", "file_lost", "file_unreadable"])

/** A file of an earlier request that is lost to the caller must not end the conversation. */
const nullIfLost =
  (references: readonly FileReference[]) =>
  (error: unknown): null => {
    const isLost = error instanceof Failure && lostCodes.has(error.code)
    if (isLost && references.every(({ isStored }) => isStored)) return null
    throw error
  }

/** Who refers to files, and what limits that. */
interface InlineContext {
  caller: Caller
  signal: AbortSignal
  /** The values that were stored by earlier requests. */
  storedItems: ReadonlySet<unknown>
  reserve: ReserveMemory
}

/**
 * Replaces references to the caller's files in a request of the Responses or Messages API by their
 * content: providers do not know them. Images and PDF documents are sent as they are, other files as
 * their text. In stored items, a note replaces a file that is lost.
 */
export const createFileInliner = (findFile: FindFileContent) => {
  /** One after the other, each once, after its memory is reserved. */
  const readContents = async (
    references: readonly FileReference[],
    { caller, signal, reserve }: InlineContext,
  ): Promise<Contents> => {
    const contents = new Map<string, FileContent | null>()
    let total = 0
    const read = async (id: string, group: readonly FileReference[]): Promise<FileContent> => {
      const file = await findFile(caller, id, signal)
      for (const { part } of group) checkKind(part, file)
      total += file.size * group.length
      if (total > maxFileBytes) {
        const message = `The files of a request may have ${maxFileBytes / 1e6} MB in total.`
        fail("body_too_large", message, { param: "file_id" })
      }
      reserve(file.encodedSize * group.length)
      return file.read()
    }
    for (const [id, group] of Map.groupBy(references, (reference) => reference.id)) {
      contents.set(id, await read(id, group).catch(nullIfLost(group)))
      await yieldToEventLoop()
    }
    return contents
  }

  /** @returns the same request if it refers to no file. @throws {Failure} */
  return async (request: ModelRequest, context: InlineContext): Promise<ModelRequest> => {
    if (!request.bytes.includes(fileIdMark)) return request
    const { fields } = parseAllFields(request)
    const member = isResponsesOperation(request) ? "input" : "messages"
    const values = fields[member]
    if (!Array.isArray(values)) return request
    const references: FileReference[] = []
    for (const value of values) {
      collectReferences(value, context.storedItems.has(value), references)
    }
    if (references.length === 0) return request
    const contents = await readContents(references, context)
    const replaced = values.map((value) => replaceReferences(value, contents))
    return replaceFields(request, { ...fields, [member]: replaced })
  }
}

export type FileInliner = ReturnType<typeof createFileInliner>
