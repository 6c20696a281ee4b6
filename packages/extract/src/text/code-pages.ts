import { encodingByLabel } from "./decode-bytes.ts"
import type { TextEncoding } from "./text-encodings.ts"

/** Windows code pages whose label is not `cp` and their number. */
const labelByCodePage: Record<number, string> = {
  1200: "utf-16le",
  1361: "euc-kr",
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  20127: "ascii",
  20866: "koi8-r",
  20932: "euc-jp",
  20936: "gb18030",
  21866: "koi8-u",
  50220: "iso-2022-jp",
  50221: "iso-2022-jp",
  50222: "iso-2022-jp",
  50932: "iso-2022-jp",
  51932: "euc-jp",
  51936: "gb18030",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
}
const isoCodePages = 28590

/** The encoding with the number of a Windows code page, such as 1252; null if it is unknown. */
export const encodingByCodePage = (page: number): TextEncoding | null => {
  const part = page - isoCodePages
  const iso = part >= 1 && part <= 16 ? `iso-8859-${part}` : null
  return encodingByLabel(labelByCodePage[page] ?? iso ?? `cp${page}`)
}
