import type { Block } from "../blocks.ts"
import { failUnreadable } from "../unreadable.ts"
import { decodeBytes } from "./decode-bytes.ts"
import { RtfFonts } from "./rtf-fonts.ts"

const ignoredDestinations = new Set([
  ...["fonttbl", "colortbl", "stylesheet", "info", "pict", "header", "footer", "themedata"],
  ...["listtable", "listoverridetable", "generator", "xmlnstbl", "datastore", "object", "rsidtbl"],
])
const textByControlWord = new Map(
  Object.entries<string>({
    par: "\n\n",
    sect: "\n\n",
    page: "\n\n",
    line: "\n",
    row: "\n",
    cell: " | ",
    tab: "\t",
    emdash: "—",
    endash: "–",
    bullet: "•",
    lquote: "‘",
    rquote: "’",
    ldblquote: "“",
    rdblquote: "”",
  }),
)
const codePageByControlWord = new Map(Object.entries({ mac: 10000, pc: 437, pca: 850 }))
const token = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]/gi

const maxDepth = 3000

interface Group {
  isIgnored: boolean
  isFontTable: boolean
  /** Null for the document's default font. */
  font: number | null
  /** Number of fallback bytes after each `\u` escape (`\uc`). */
  fallback: number
}

/** The text of an RTF 1.9 document, without pictures, fonts and styles. */
export const readRtf = (source: string): Block[] => {
  const fonts = new RtfFonts()
  const groups: Group[] = []
  let group: Group = { isIgnored: false, isFontTable: false, font: null, fallback: 1 }
  let output = ""
  /** Bytes that are decoded together, as a character may consist of two. */
  let undecoded = ""
  let fallbackRemaining = 0

  const flush = (): void => {
    const isAscii = !/[\x80-\xff]/.test(undecoded)
    output += isAscii
      ? undecoded
      : decodeBytes(Buffer.from(undecoded, "latin1"), fonts.encodingOf(group.font))
    undecoded = ""
  }
  const writeBytes = (bytes: string): void => {
    const visible = fallbackRemaining > 0 ? bytes.slice(fallbackRemaining) : bytes
    fallbackRemaining = Math.max(0, fallbackRemaining - bytes.length)
    if (!group.isIgnored) undecoded += visible
  }
  const write = (text: string): void => {
    if (fallbackRemaining > 0) fallbackRemaining--
    else if (!group.isIgnored) output += text
  }
  const writeUnicode = (code: number): void => {
    if (!group.isIgnored) output += String.fromCharCode(code & 0xffff)
    fallbackRemaining = group.fallback
  }
  const readFontDefinition = (name: string, value: number): void => {
    const font = group.font ?? 0
    if (name === "f") group.font = value
    else if (name === "fcharset") fonts.setFontCharset(font, value)
    else if (name === "cpg") fonts.setFontCodePage(font, value)
  }
  const readEncodingWord = (name: string, value: number): void => {
    const codePage = name === "ansicpg" ? value : codePageByControlWord.get(name)
    if (group.isFontTable) readFontDefinition(name, value)
    else if (name === "f") group.font = value
    else if (name === "plain") group.font = null
    else if (name === "deff") fonts.defaultFont = value
    else if (codePage !== undefined) fonts.setDocumentCodePage(codePage)
  }
  const enterDestination = (name: string): void => {
    group.isIgnored = true
    group.isFontTable = name === "fonttbl"
  }
  const readControlWord = (name: string, value: string | undefined): void => {
    const text = textByControlWord.get(name)
    if (ignoredDestinations.has(name)) enterDestination(name)
    else if (name === "uc") group.fallback = Number(value ?? 1)
    else if (name === "u") writeUnicode(Number(value))
    else if (text !== undefined) write(text)
    else readEncodingWord(name, Number(value ?? 0))
  }
  const readControlSymbol = (sign: string): void => {
    if (sign === "*") group.isIgnored = true
    else if (sign === "~") write(" ")
    else if (sign === "_") write("-")
    else if ("\\{}".includes(sign)) write(sign)
  }
  const readBrace = (sign: string): void => {
    fallbackRemaining = 0
    if (sign === "{") {
      if (groups.length >= maxDepth)
        failUnreadable("too_large", { id: "document_nested_too_deeply" })
      groups.push(group)
      group = { ...group }
    } else group = groups.pop() ?? group
  }
  const readToken = ([whole, name, value, hex, sign, bracket, text]: readonly string[]): void => {
    const bytes = hex ? String.fromCharCode(Number.parseInt(hex, 16)) : text
    if (bytes) writeBytes(bytes)
    else if (whole?.trim() !== "") flush()
    if (name) readControlWord(name, value)
    else if (sign) readControlSymbol(sign)
    else if (bracket) readBrace(bracket)
  }
  for (const match of source.matchAll(token)) readToken(match)
  flush()
  return output
    .split(/\n{2,}/)
    .map((paragraph): Block => ({ text: paragraph.trim(), kind: "paragraph", location: {} }))
}
