import { encodingByCodePage } from "./code-pages.ts"
import type { TextEncoding } from "./text-encodings.ts"

/** Code pages of font character sets (`\fcharset`). */
export const codePageByFontCharset: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
}

/** The encodings of an RTF document: that of each font, and of text in other fonts. */
export class RtfFonts {
  defaultFont = 0
  #documentEncoding: TextEncoding = "windows-1252"
  readonly #encodingByFont = new Map<number, TextEncoding>()

  /** Sets the encoding of text whose font has none; unknown code pages are ignored. */
  setDocumentCodePage(page: number): void {
    this.#documentEncoding = encodingByCodePage(page) ?? this.#documentEncoding
  }

  /** Font character sets without a code page, such as symbols, keep the document's encoding. */
  setFontCharset(font: number, charset: number): void {
    this.setFontCodePage(font, codePageByFontCharset[charset] ?? 0)
  }

  setFontCodePage(font: number, page: number): void {
    const encoding = encodingByCodePage(page)
    if (encoding) this.#encodingByFont.set(font, encoding)
  }

  encodingOf(font: number | null): TextEncoding {
    return this.#encodingByFont.get(font ?? this.defaultFont) ?? this.#documentEncoding
  }
}
