import { isUtf8 } from "node:buffer"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import { decodeText } from "../text/decode-text.ts"
import { detectUtf16 } from "../text/utf16.ts"

const declaredCharset = /charset\s*=\s*["']?([\w.:-]+)/i

const hasEncodedParts = (text: string): boolean =>
  /^content-transfer-encoding:\s*(base64|quoted-printable)/im.test(text)

/** A message saved as UTF-16: what its parts declare is how they were before. */
const fromUtf16 = (bytes: Buffer, encoding: string): Buffer => {
  const text = new TextDecoder(encoding).decode(bytes)
  const outdated = hasEncodedParts(text)
    ? /(charset\s*=\s*["']?)(utf-16(le|be)?|unicode)\b/gi
    : /(charset\s*=\s*["']?)[\w.:-]+/gi
  return Buffer.from(text.replace(outdated, "$1utf-8"))
}

const headerLength = (latin1: string): number => /\r?\n\r?\n/.exec(latin1)?.index ?? latin1.length

const isAscii = (latin1: string): boolean => !/[\x80-\xff]/.test(latin1)

const decodes = (bytes: Buffer, charset: string): boolean => {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes) !== ""
  } catch {
    return false
  }
}

/**
 * Corrects what programs declare that write UTF-8 nevertheless: ASCII, or what the text cannot be.
 * Parts in base64 or quoted-printable may well be in the encoding that they declare.
 */
const withDeclaredUtf8 = (bytes: Buffer, latin1: string, declared = "us-ascii"): Buffer => {
  if (isAscii(latin1)) return bytes
  const isDeclarationWrong = !hasEncodedParts(latin1) && !decodes(bytes, declared)
  const wrong = isDeclarationWrong ? declared.toLowerCase() : "us-ascii"
  const corrected = latin1.replace(
    /(charset\s*=\s*["']?)([\w.:-]{1,40})/gi,
    (all, before, charset) =>
      [wrong, "us-ascii"].includes(charset.toLowerCase()) ? `${before}utf-8` : all,
  )
  return Buffer.from(corrected, "latin1")
}

/**
 * Prepares a message for a MIME parser, which takes all that declares no charset for UTF-8.
 * @returns the message with UTF-8 in its headers, and in its body where no charset is declared
 */
export const toMimeBytes = async (
  { bytes, encoding }: Pick<DocumentSource, "bytes" | "encoding">,
  context: ReadingContext,
): Promise<Buffer> => {
  const utf16 = detectUtf16(bytes.subarray(0, 4096))
  if (utf16) return fromUtf16(bytes, utf16)
  const latin1 = bytes.toString("latin1")
  const declared = declaredCharset.exec(latin1)?.[1]
  const isWhollyText = !/^content-transfer-encoding:\s*binary/im.test(latin1)
  const isUndecided = latin1.includes("\x1b$") || !isUtf8(bytes)
  if (declared === undefined && isWhollyText && isUndecided)
    return Buffer.from(await decodeText({ bytes, contentType: "", encoding }, context))
  if (isUtf8(bytes)) return withDeclaredUtf8(bytes, latin1, declared)
  const length = headerLength(latin1)
  const header = bytes.subarray(0, length)
  if (isUtf8(header)) return bytes
  const charset = encoding ?? declared ?? "utf-8"
  const known = decodes(header, charset) ? charset : undefined
  const decoded = await decodeText({ bytes: header, contentType: "", encoding: known }, context)
  return Buffer.concat([Buffer.from(decoded), bytes.subarray(length)])
}
