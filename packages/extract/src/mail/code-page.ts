import { isUtf8 } from "node:buffer"
import { encodingByCodePage } from "../text/code-pages.ts"
import { decodeBytes, tryDecode } from "../text/decode-bytes.ts"

/** Windows code pages by the primary language of a locale (LCID); 1252 for all others. */
const codePageByLanguage: Readonly<Record<number, number>> = {
  1: 1256,
  2: 1251,
  4: 936,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  30: 874,
  31: 1254,
  34: 1251,
  35: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  41: 1256,
  42: 1258,
}
/** Traditional Chinese, and Serbian in Cyrillic letters. */
const codePageByLocale: Readonly<Record<number, number>> = {
  1028: 950,
  3076: 950,
  5124: 950,
  3098: 1251,
}

/** @returns undefined for Western locales, whose users write in every language */
export const localeCodePage = (locale = 0): number | undefined =>
  codePageByLocale[locale] ?? codePageByLanguage[locale & 0x3ff]

/** Decodes 8-bit text by the first code page that fits, else as UTF-8 or Western text. */
export const decodeCodePage = (
  bytes: Buffer,
  codePages: readonly (number | undefined)[],
): string => {
  for (const codePage of codePages) {
    const text = codePage === undefined ? null : tryDecode(bytes, encodingByCodePage(codePage))
    if (text !== null) return text
  }
  return decodeBytes(bytes, isUtf8(bytes) ? "utf-8" : "windows-1252")
}
