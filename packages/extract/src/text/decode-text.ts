import { isUtf8 } from "node:buffer"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import { failUnreadable } from "../unreadable.ts"
import { declaredEncoding } from "./declared-encoding.ts"
import { decodeBytes, encodingByLabel, tryDecode } from "./decode-bytes.ts"
import { detectEncoding } from "./detect-encoding.ts"
import type { TextEncoding } from "./text-encodings.ts"
import { detectUtf16 } from "./utf16.ts"

const utf8ByteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Japanese mail and its archives switch between character sets with these escape sequences. */
const isIso2022Jp = (bytes: Buffer): boolean =>
  (bytes.includes("\x1b$B") || bytes.includes("\x1b$@")) && tryDecode(bytes, "iso-2022-jp") !== null

/** The encoding of bytes that cannot be anything else. */
const certainEncoding = (bytes: Buffer): TextEncoding | null => {
  const wide = detectUtf16(bytes)
  if (wide) return wide
  if (bytes.subarray(0, 3).equals(utf8ByteOrderMark)) return "utf-8"
  if (isIso2022Jp(bytes)) return "iso-2022-jp"
  return isUtf8(bytes) ? "utf-8" : null
}

/**
 * Decodes text. What is certain comes first: the user's choice, a byte order mark, UTF-16, valid
 * UTF-8, and escape sequences. Then the document's declaration, if there are no errors in it, and
 * then the likeliest encoding, with a warning if that is doubtful.
 */
export const decodeText = async (
  { bytes, contentType, encoding: chosen }: Omit<DocumentSource, "filename">,
  context: Pick<ReadingContext, "warn">,
): Promise<string> => {
  const certain = encodingByLabel(chosen ?? "") ?? certainEncoding(bytes)
  if (certain) return decodeBytes(bytes, certain)
  if (bytes.includes(0)) failUnreadable("damaged", { id: "document_not_text" })
  const stated = tryDecode(bytes, declaredEncoding(bytes, contentType))
  if (stated !== null) return stated

  const { encoding, isDoubtful } = await detectEncoding(bytes)
  const text = decodeBytes(bytes, encoding)
  if (isDoubtful || text.includes("\ufffd")) {
    context.warn({ id: "document_encoding_uncertain", values: { encoding } })
  }
  return text
}
