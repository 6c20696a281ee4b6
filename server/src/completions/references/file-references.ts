import { fail } from "../../errors.ts"
import { type Fields, isObject, textOf } from "../../formats/json-values.ts"
import type { FileContent } from "./file-content-reader.ts"

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

/** Members of items and messages that contain parts. */
const nestedMembers = ["content", "output"]
/** As in `files` of chat completions. Each reference counts, also if several name the same file. */
const maxReferences = 100

/** Where a request may refer to files. */
export interface FileScope {
  /** Of the request: its items or messages. */
  member: "input" | "messages"
  /** The positions of items that were stored by earlier requests. */
  storedPositions: readonly number[]
}

export interface FilePartReference {
  id: string
  expectsImage: boolean
  /** Whether it is part of a stored item: the client may not know it any more. */
  isStored: boolean
}

const failTooManyReferences = (): never => {
  const message = `A request can refer to at most ${maxReferences} files, with its history. Send fewer of them.`
  return fail("bad_request", message, { param: "file_id" })
}

const collectReferences = (value: unknown, isStored: boolean, found: FilePartReference[]): void => {
  if (!isObject(value)) return
  const id = fileIdOf(value)
  if (id !== null) {
    const expectsImage = value.type === "input_image" || value.type === "image"
    if (found.push({ id, expectsImage, isStored }) > maxReferences) failTooManyReferences()
    return
  }
  for (const name of nestedMembers) {
    const nested = value[name]
    if (!Array.isArray(nested)) continue
    for (const inner of nested) collectReferences(inner, isStored, found)
  }
}

/** Finds the references of a request, in their order. @throws {Failure} if there are too many */
export const findFileReferences = (
  fields: Fields,
  { member, storedPositions }: FileScope,
): FilePartReference[] => {
  const values = fields[member]
  const stored = new Set(storedPositions)
  const found: FilePartReference[] = []
  if (!Array.isArray(values)) return found
  for (const [at, value] of values.entries()) collectReferences(value, stored.has(at), found)
  return found
}

/** By id; `null` if the file no longer exists. */
export type FileContentById = ReadonlyMap<string, FileContent | null>

const lostPart = (part: Fields, id: string): Fields => ({
  type: isObject(part.source) ? "text" : "input_text",
  text: `[The file "${id}" is no longer available.]`,
})

const replaceReferences = (value: unknown, contents: FileContentById): unknown => {
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

export interface FileReplacement {
  member: FileScope["member"]
  contents: FileContentById
}

/** The request with the contents of its files. In stored items, a note replaces a lost file. */
export const replaceFiles = (fields: Fields, { member, contents }: FileReplacement): Fields => {
  const values = fields[member]
  if (!Array.isArray(values)) return fields
  return { ...fields, [member]: values.map((value) => replaceReferences(value, contents)) }
}
