import { fail } from "../errors.ts"
import { type Fields, isObject, textOf } from "../formats/json-values.ts"
import type { Caller } from "../http/caller.ts"
import { parseAllFields } from "../http/json-object.ts"
import { type FileContent, maxFileBytes, type ReadFileContent } from "./file-content.ts"
import { replaceFields } from "./pass-through-request.ts"
import type { ModelRequest } from "./request.ts"

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

const checkKind = (part: Fields, { mediaType, filename }: FileContent): void => {
  const expectsImage = part.type === "input_image" || part.type === "image"
  if (expectsImage && !mediaType.startsWith("image/")) {
    fail("bad_request", `The file "${filename}" is not an image.`, { param: "file_id" })
  }
}

/** Members of items and messages that contain parts. */
const nestedMembers = ["content", "output"]
const fileIdMark = Buffer.from('"file_id"')

type ReplaceReference = (part: Fields, id: string) => Promise<Fields>

const replaceInObject = async (value: Fields, replace: ReplaceReference): Promise<Fields> => {
  const id = fileIdOf(value)
  if (id !== null) return replace(value, id)
  const changed = { ...value }
  for (const name of nestedMembers) {
    if (Array.isArray(value[name])) changed[name] = await replaceInArray(value[name], replace)
  }
  return changed
}

/** One after the other, so that a request has few files in memory beyond its limit. */
const replaceInArray = async (
  values: readonly unknown[],
  replace: ReplaceReference,
): Promise<unknown[]> => {
  const replaced: unknown[] = []
  for (const value of values) {
    replaced.push(isObject(value) ? await replaceInObject(value, replace) : value)
  }
  return replaced
}

/**
 * Replaces references to the caller's files in a request of the Responses or Messages API by their
 * content: providers do not know them. Images and PDF documents are sent as they are, other files as
 * their text.
 */
export const createFileInliner =
  (readFile: ReadFileContent) =>
  /** @returns the same request if it refers to no file. @throws {Failure} */
  async (caller: Caller, request: ModelRequest, signal: AbortSignal): Promise<ModelRequest> => {
    if (!request.bytes.includes(fileIdMark)) return request
    const { fields } = parseAllFields(request)
    const member = request.operation === "responses" ? "input" : "messages"
    const values = fields[member]
    if (!Array.isArray(values)) return request
    let total = 0
    let hasReferences = false
    const replaced = await replaceInArray(values, async (part, id) => {
      const content = await readFile(caller, id, signal)
      total += content.size
      if (total > maxFileBytes) {
        const message = `The files of a request may have ${maxFileBytes / 1e6} MB in total.`
        fail("body_too_large", message, { param: "file_id" })
      }
      checkKind(part, content)
      hasReferences = true
      return replacePart(part, content)
    })
    if (!hasReferences) return request
    return replaceFields(request, { ...fields, [member]: replaced })
  }

export type FileInliner = ReturnType<typeof createFileInliner>
