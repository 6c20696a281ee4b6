import { isUtf8 } from "node:buffer"
import { detectUtf16 } from "../file-type.ts"
import type { ReadingContext } from "../reading-context.ts"
import { failUnreadable } from "../unreadable.ts"

/** Sample from which the encoding is detected. */
const sampleCharacters = 200_000

/**
 * Legacy multibyte encodings in the order in which they are tried, and the share of all characters
 * outside of ASCII that the typical letters must have.
 */
const multibyteEncodings = [
  { name: "shift_jis", letters: /[\u3040-\u30ff]/g, minShare: 0.3 },
  { name: "euc-jp", letters: /[\u3040-\u30ff]/g, minShare: 0.3 },
  { name: "gb18030", letters: /[\u4e00-\u9fa5]/g, minShare: 0.7 },
  { name: "big5", letters: /[\u4e00-\u9fa5]/g, minShare: 0.7 },
  { name: "euc-kr", letters: /[\uac00-\ud7a3]/g, minShare: 0.7 },
]

const decodeStrictly = (bytes: Uint8Array, encoding: string): string | null => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Runs of same-case Cyrillic letters rarely occur in text with another encoding. */
const looksCyrillic = (bytes: Uint8Array): boolean => {
  const text = new TextDecoder("windows-1251").decode(bytes.subarray(0, 20_000))
  const words = text.match(/\p{L}+/gu) ?? []
  const cyrillic = words.filter((word) => /^[А-ЯЁ]?[а-яё]{3,}$/.test(word))
  return cyrillic.join("").length > words.join("").length * 0.3
}

const shareOf = (letters: RegExp, whole: string): number => {
  const text = whole.slice(0, sampleCharacters)
  const foreign = text.match(/[^\p{ASCII}]/gu)?.length ?? 0
  return foreign === 0 ? 0 : (text.match(letters)?.length ?? 0) / foreign
}

const decodeLegacy = (bytes: Uint8Array): string => {
  if (looksCyrillic(bytes)) return new TextDecoder("windows-1251").decode(bytes)
  for (const { name, letters, minShare } of multibyteEncodings) {
    const text = decodeStrictly(bytes, name)
    if (text !== null && shareOf(letters, text) > minShare) return text
  }
  return new TextDecoder("windows-1252").decode(bytes)
}

/** The encoding that an HTML or XML document declares. */
const declaredEncoding = (bytes: Buffer): string | undefined => {
  if (!/<(html|\?xml|meta|head)/i.test(bytes.toString("latin1", 0, 4096))) return undefined
  return /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(bytes.toString("latin1", 0, 2048))?.[1]
}

/**
 * Decodes text in any common encoding. The document's own declaration yields to the bytes.
 * @param chosen the user's choice, instead of detection
 */
export const decodeText = (
  bytes: Buffer,
  chosen?: string,
  _context?: Pick<ReadingContext, "warn">,
): string => {
  if (chosen) return new TextDecoder(chosen).decode(bytes)
  const wide = detectUtf16(bytes.subarray(0, 4096))
  if (wide) return new TextDecoder(wide).decode(bytes)
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  if (bytes.includes(0)) failUnreadable("damaged", { id: "document_not_text" })
  const declared = declaredEncoding(bytes)
  if (declared) {
    try {
      return new TextDecoder(declared).decode(bytes)
    } catch {
      // Unknown encoding name.
    }
  }
  return decodeLegacy(bytes)
}
