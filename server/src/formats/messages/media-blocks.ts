import { isUtf8 } from "node:buffer"
import { fail } from "../../errors.ts"
import { defaultFilename } from "../canonical-request.ts"
import { type Fields, isObject, ownValue, textOf } from "../json-values.ts"

/** An image or a file as a chat completion has it: content with its type, if that is stated. */
interface StatedContent {
  mediaType: string
  isBase64: boolean
  data: string
}

const failMessages = (code: "bad_request" | "unsupported_by_model", message: string): never =>
  fail(code, message, { param: "messages" })

const failMediaType = (mediaType: string): never =>
  failMessages(
    "unsupported_by_model",
    `The model's provider does not accept files of type "${mediaType}". Send a JPEG, PNG, GIF or WebP image, a PDF document or UTF-8 text.`,
  )

const failSource = (): never =>
  failMessages(
    "bad_request",
    'An image or a file must be an address that starts with "http:" or "https:", a "data:" URL or base64.',
  )

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])
const pdf = "application/pdf"
/** Types that say nothing about the content. */
const genericTypes = new Set(["", "application/octet-stream", "binary/octet-stream"])
const otherNames: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "application/x-pdf": pdf,
}
const typeByExtension: Record<string, string> = {
  ...{ pdf, png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif" },
  ...{ webp: "image/webp", svg: "image/svg+xml" },
}
/** Types of content that is no text for a model, even if it consists of characters. */
const otherTypes = /^(image|audio|video|font|model)\//

/** The first bytes of what the API accepts. */
const signatures: readonly [start: string, mediaType: string][] = [
  ["\x89PNG", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
  ["%PDF-", pdf],
]

/** The type that the content itself has; undefined if it is none that can be recognized. */
const recognizeType = (base64: string): string | undefined => {
  const start = Buffer.from(base64.slice(0, 64), "base64").toString("latin1")
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp"
  return signatures.find(([signature]) => start.startsWith(signature))?.[1]
}

const startsLikeBase64 = (text: string): boolean => /^[\w+/=\s-]+$/.test(text.slice(0, 200))

/** Null if the text is neither a `data:` URL nor base64. */
const readContent = (text: string): StatedContent | null => {
  if (!/^data:/i.test(text)) {
    return startsLikeBase64(text) ? { mediaType: "", isBase64: true, data: text } : null
  }
  const end = text.indexOf(",")
  if (end < 0) return null
  const [mediaType = "", ...options] = text
    .slice("data:".length, end)
    .toLowerCase()
    .split(";")
    .map((option) => option.trim())
  return { mediaType, isBase64: options.includes("base64"), data: text.slice(end + 1) }
}

const decodePercent = (text: string): Buffer => {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return failSource()
  }
}

/** In the usual alphabet, which is the only one that the API accepts. */
const toBase64 = ({ isBase64, data }: StatedContent): string => {
  if (!isBase64) return decodePercent(data).toString("base64")
  const base64 = data.replaceAll(/\s+/g, "")
  return /[-_]/.test(base64) ? Buffer.from(base64, "base64").toString("base64") : base64
}

const typeOfName = (filename: string): string =>
  ownValue(typeByExtension, filename.split(".").at(-1)?.toLowerCase()) ?? ""

/** Bytes that no text contains, but most other contents begin with. */
const controlBytes = [0, 1, 2, 3, 4, 5, 6, 7, 8]

const toTextSource = (base64: string, mediaType: string): Fields => {
  const bytes = Buffer.from(base64, "base64")
  if (!isUtf8(bytes) || controlBytes.some((byte) => bytes.includes(byte)))
    return failMediaType(mediaType || "unknown")
  return { type: "text", media_type: "text/plain", data: bytes.toString("utf8") }
}

/** Clients often state a wrong type, or none, so the content decides where it can be recognized. */
const toContentBlock = (content: StatedContent, filename: string): Fields => {
  const base64 = toBase64(content)
  const stated = ownValue(otherNames, content.mediaType) ?? content.mediaType
  const named = genericTypes.has(stated) ? typeOfName(filename) : stated
  const mediaType = recognizeType(base64) ?? named
  const source = { type: "base64", media_type: mediaType, data: base64 }
  if (imageTypes.has(mediaType)) return { type: "image", source }
  if (mediaType === pdf) return { type: "document", source }
  if (otherTypes.test(mediaType)) return failMediaType(mediaType)
  return { type: "document", source: toTextSource(base64, mediaType) }
}

const toMediaBlock = (type: "image" | "document", url: string, filename: string): Fields => {
  if (/^https?:\/\//i.test(url)) {
    const isImage = imageTypes.has(typeOfName(url.replace(/[?#].*$/s, "")))
    return { type: isImage ? "image" : type, source: { type: "url", url } }
  }
  const content = readContent(url)
  return content ? toContentBlock(content, filename) : failSource()
}

/** @param part `image_url` is an object with the address in OpenAI's API, and a text in others */
export const toImageBlock = ({ image_url }: Fields): Fields =>
  toMediaBlock("image", isObject(image_url) ? textOf(image_url.url) : textOf(image_url), "")

/**
 * Converts a file of a chat completion to a block of Anthropic's API.
 * @throws {Failure} `unsupported_by_model`, or `bad_request` if it has no content
 */
export const toDocumentBlock = (file: Fields): Fields => {
  const filename = textOf(file.filename)
  const block = toMediaBlock("document", textOf(file.file_data), filename)
  const isNamed = filename !== "" && filename !== defaultFilename
  return { ...block, ...(isNamed && block.type === "document" && { title: filename }) }
}
