import { encodingByCodePage } from "../text/code-pages.ts"
import { decodeBytes } from "../text/decode-bytes.ts"
import { codePageByFontCharset } from "../text/rtf-fonts.ts"
import { failUnreadable } from "../unreadable.ts"

interface Group {
  /** A destination that is no text, such as the colour table. */
  isSkipped: boolean
  /** Formatting for readers of RTF, which the HTML states itself (`\htmlrtf`). */
  isRtfOnly: boolean
  isFontTable: boolean
  font: number
  /** Number of fallback characters after each `\u` escape (`\uc`). */
  fallback: number
}

const skippedDestinations = new Set([
  "colortbl",
  "stylesheet",
  "info",
  "pict",
  "generator",
  "listtable",
  "listoverridetable",
  "mhtmltag",
  "pntext",
])
const textByControlWord: ReadonlyMap<string, string> = new Map([
  ["par", "\r\n"],
  ["line", "\r\n"],
  ["tab", "\t"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["endash", "–"],
  ["emdash", "—"],
])
const token = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]/gi
const maxDepth = 3000

/** Text of an RTF document, decoded in runs, as a character may take several bytes. */
class RtfText {
  readonly #parts: string[] = []
  #pending: number[] = []
  #codePage = 1252

  set codePage(codePage: number) {
    if (codePage === this.#codePage) return
    this.#flush()
    this.#codePage = codePage
  }

  writeBytes(latin1: string): void {
    for (let at = 0; at < latin1.length; at++) this.#pending.push(latin1.charCodeAt(at) & 0xff)
  }

  writeText(text: string): void {
    this.#flush()
    this.#parts.push(text)
  }

  toString(): string {
    this.#flush()
    return this.#parts.join("")
  }

  #flush(): void {
    if (this.#pending.length === 0) return
    const encoding = encodingByCodePage(this.#codePage) ?? "windows-1252"
    this.#parts.push(decodeBytes(Uint8Array.from(this.#pending), encoding))
    this.#pending = []
  }
}

/**
 * The HTML or the plain text that an e-mail program has wrapped in RTF ([MS-OXRTFEX]).
 * @returns null if the document is RTF in itself
 */
export const readEncapsulatedText = (rtf: Buffer): { text: string; html: string } | null => {
  const source = rtf.toString("latin1")
  const origin = /\\from(html1|text)\b/.exec(source.slice(0, 1000))?.[1]
  if (!origin) return null
  const text = new EncapsulatedReader(source).read()
  return origin === "text" ? { text, html: "" } : { text: "", html: text }
}

class EncapsulatedReader {
  readonly #source: string
  readonly #output = new RtfText()
  readonly #groups: Group[] = []
  readonly #codePageByFont = new Map<number, number>()
  readonly #defaultCodePage: number
  #group: Group = {
    isSkipped: false,
    isRtfOnly: false,
    isFontTable: false,
    font: 0,
    fallback: 1,
  }
  #fallbackRemaining = 0

  constructor(source: string) {
    this.#source = source
    this.#defaultCodePage = Number(/\\ansicpg(\d+)/.exec(source)?.[1] ?? 1252)
  }

  read(): string {
    for (const [, name, value, hex, sign, brace, text] of this.#source.matchAll(token)) {
      if (name) this.#readControlWord(name, value)
      else if (hex) this.#write(String.fromCharCode(Number.parseInt(hex, 16)))
      else if (sign) this.#readControlSymbol(sign)
      else if (brace) this.#readBrace(brace)
      else if (text) this.#write(text)
    }
    return this.#output.toString()
  }

  get #isHidden(): boolean {
    const { isSkipped, isRtfOnly, isFontTable } = this.#group
    return isSkipped || isRtfOnly || isFontTable
  }

  #write(latin1: string): void {
    const visible = latin1.slice(this.#fallbackRemaining)
    this.#fallbackRemaining = Math.max(0, this.#fallbackRemaining - latin1.length)
    if (this.#isHidden) return
    this.#output.codePage = this.#codePageByFont.get(this.#group.font) ?? this.#defaultCodePage
    this.#output.writeBytes(visible)
  }

  #writeText(text: string): void {
    if (!this.#isHidden) this.#output.writeText(text)
  }

  #readControlWord(name: string, value: string | undefined): void {
    const group = this.#group
    const number = Number(value ?? 1)
    if (name === "htmltag") group.isSkipped = false
    else if (name === "htmlrtf") group.isRtfOnly = value !== "0"
    else if (name === "fonttbl") group.isFontTable = true
    else if (name === "f") group.font = number
    else if (name === "fcharset") this.#readFontCharset(number)
    else if (name === "uc") group.fallback = number
    else if (name === "u") {
      this.#writeText(String.fromCharCode(number & 0xffff))
      this.#fallbackRemaining = group.fallback
    } else if (skippedDestinations.has(name)) group.isSkipped = true
    else this.#writeText(textByControlWord.get(name) ?? "")
  }

  #readFontCharset(charset: number): void {
    const codePage = codePageByFontCharset[charset]
    if (this.#group.isFontTable && codePage) this.#codePageByFont.set(this.#group.font, codePage)
  }

  #readControlSymbol(sign: string): void {
    if (sign === "*") this.#group.isSkipped = true
    else if (sign === "~") this.#writeText("\u00a0")
    else if ("\\{}".includes(sign)) this.#write(sign)
  }

  #readBrace(sign: string): void {
    this.#fallbackRemaining = 0
    if (sign === "}") {
      this.#group = this.#groups.pop() ?? this.#group
      return
    }
    if (this.#groups.length >= maxDepth)
      failUnreadable("too_large", { id: "document_nested_too_deeply" })
    this.#groups.push(this.#group)
    this.#group = { ...this.#group }
  }
}
