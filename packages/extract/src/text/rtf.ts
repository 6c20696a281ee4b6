import type { Block } from "../blocks.ts"
import { failUnreadable } from "../unreadable.ts"

const ignoredDestinations = new Set([
  ...["fonttbl", "colortbl", "stylesheet", "info", "pict", "header", "footer", "themedata"],
  ...["listtable", "listoverridetable", "generator", "xmlnstbl", "datastore", "object", "rsidtbl"],
])
const textByControlWord: Record<string, string> = {
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
}
const token = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]/gi

const decoderFor = (source: string) => {
  const page = /\\ansicpg(\d+)/.exec(source)?.[1] ?? "1252"
  try {
    return new TextDecoder(page === "65001" ? "utf-8" : `windows-${page}`)
  } catch {
    return new TextDecoder("windows-1252")
  }
}

const maxDepth = 3000

interface Group {
  isIgnored: boolean
  /** Number of fallback characters after each `\u` escape (`\uc`). */
  fallback: number
}

/** The text of an RTF 1.9 document, without pictures, fonts and styles. */
export const readRtf = (source: string): Block[] => {
  const decoder = decoderFor(source)
  const groups: Group[] = []
  let group: Group = { isIgnored: false, fallback: 1 }
  let output = ""
  let fallbackRemaining = 0

  const write = (text: string): void => {
    const visible = fallbackRemaining > 0 ? text.slice(fallbackRemaining) : text
    fallbackRemaining = Math.max(0, fallbackRemaining - text.length)
    if (!group.isIgnored) output += visible
  }
  const readControlWord = (name: string, value: string | undefined): void => {
    if (ignoredDestinations.has(name)) group.isIgnored = true
    else if (name === "uc") group.fallback = Number(value ?? 1)
    else if (name === "u") {
      if (!group.isIgnored) output += String.fromCharCode(Number(value) & 0xffff)
      fallbackRemaining = group.fallback
    } else if (textByControlWord[name]) write(textByControlWord[name])
  }
  const readControlSymbol = (sign: string): void => {
    if (sign === "*") group.isIgnored = true
    else if (sign === "~") write(" ")
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
  for (const [, name, value, hex, sign, bracket, text] of source.matchAll(token)) {
    if (name) readControlWord(name, value)
    else if (hex) write(decoder.decode(Buffer.from(hex, "hex")))
    else if (sign) readControlSymbol(sign)
    else if (bracket) readBrace(bracket)
    else if (text) write(text)
  }
  return output
    .split(/\n{2,}/)
    .map((paragraph): Block => ({ text: paragraph.trim(), kind: "paragraph", location: {} }))
}
