import { TextDecoder } from "node:util"
import iconv from "iconv-lite"
import { type TextEncoding, textEncodings } from "./text-encodings.ts"

const consoleEncoding = /^ibm(?!866)/

const isTextEncoding = (name: string): name is TextEncoding =>
  textEncodings.some((encoding) => encoding === name)

/** Names that documents state and that the WHATWG standard lacks. */
const encodingByOtherLabel = new Map(
  Object.entries<TextEncoding>({
    ansi: "windows-1252",
    ansinew: "windows-1252",
    applemac: "macintosh",
    macroman: "macintosh",
    maccyrillic: "x-mac-cyrillic",
    latin9: "iso-8859-15",
    latin10: "iso-8859-16",
    cp874: "windows-874",
    cp932: "shift_jis",
    ms932: "shift_jis",
    cp936: "gbk",
    cp949: "euc-kr",
    uhc: "euc-kr",
    cp950: "big5",
    utf8mb4: "utf-8",
  }),
)

const canonicalName = (label: string): string => {
  const page = /^(?:cp|ibm|ibm-|dos-|oem)(437|850|852|857)$/.exec(label)?.[1]
  if (page) return `ibm${page}`
  const { encoding } = new TextDecoder(encodingByOtherLabel.get(label) ?? label)
  return encoding === "iso-8859-8-i" ? "iso-8859-8" : encoding
}

/** The encoding that a label such as `latin1` or `cp850` stands for; null if it is unknown. */
export const encodingByLabel = (label: string): TextEncoding | null => {
  try {
    const name = canonicalName(label.trim().toLowerCase())
    return isTextEncoding(name) ? name : null
  } catch {
    return null
  }
}

const decoders = new Map<TextEncoding, TextDecoder>()

const decoderFor = (encoding: TextEncoding): TextDecoder => {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding)
  decoders.set(encoding, decoder)
  return decoder
}

/** Decodes bytes; those without a meaning become U+FFFD. A byte order mark is removed. */
export const decodeBytes = (bytes: Uint8Array, encoding: TextEncoding): string => {
  if (consoleEncoding.test(encoding)) return iconv.decode(Buffer.from(bytes), encoding)
  const text = decoderFor(encoding).decode(bytes)
  // Vietnamese letters with tone marks are two characters in this code page.
  return encoding === "windows-1258" ? text.normalize("NFC") : text
}

/** @returns null if the encoding is unknown, or bytes have no meaning in it */
export const tryDecode = (bytes: Uint8Array, encoding: TextEncoding | null): string | null => {
  const text = encoding && decodeBytes(bytes, encoding)
  return text?.includes("\ufffd") ? null : text
}
