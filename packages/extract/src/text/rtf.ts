import type { Block } from "../blocks.ts"
import { isPageNumber } from "../page-number.ts"
import { failUnreadable } from "../unreadable.ts"
import { decodeBytes } from "./decode-bytes.ts"
import { RtfFonts } from "./rtf-fonts.ts"

const ignoredDestinations = new Set([
  ...["fonttbl", "colortbl", "stylesheet", "info", "pict", "themedata", "nonesttables"],
  ...["listtable", "listoverridetable", "generator", "xmlnstbl", "datastore", "object", "rsidtbl"],
])
const textByControlWord = new Map(
  Object.entries<string>({
    line: "\n",
    row: "\n",
    cell: " | ",
    nestcell: ", ",
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
const storyWord = /^(header|footer)[lrf]?$|^footnote$/
const paragraphEnd = /^(par|sect|page)$/
const token = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]/gi

const maxDepth = 3000

/** Where the text of a group goes: the body, a header, a footer or a note. */
interface Story {
  text: string
}

interface Group {
  story: Story
  isIgnored: boolean
  isHidden: boolean
  isDeleted: boolean
  isFontTable: boolean
  /** Null for the document's default font. */
  font: number | null
  /** Number of fallback bytes after each `\u` escape (`\uc`). */
  fallback: number
}

const toBlocks = (text: string): Block[] =>
  text
    .split(/\n{2,}/)
    .map((paragraph): Block => ({ text: paragraph.trim(), kind: "paragraph", location: {} }))

/** Headers or footers, each text once. */
const distinctBlocks = (stories: readonly Story[]): Block[] => {
  const blocks = stories.flatMap(({ text }) => toBlocks(text))
  const distinct = new Map(blocks.map((block) => [block.text, block]))
  return [...distinct.values()].filter(({ text }) => !isPageNumber(text))
}

/** The text of an RTF 1.9 document, without pictures, fonts and styles. */
export const readRtf = (source: string): Block[] => {
  const fonts = new RtfFonts()
  const groups: Group[] = []
  const body: Story = { text: "" }
  const headers: Story[] = []
  const footers: Story[] = []
  let group: Group = {
    story: body,
    isIgnored: false,
    isHidden: false,
    isDeleted: false,
    isFontTable: false,
    font: null,
    fallback: 1,
  }
  let notes = 0
  /** Notes that follow the current paragraph. */
  let pendingNotes: Story[] = []
  /** Bytes that are decoded together, as a character may consist of two. */
  let undecoded = ""
  let fallbackRemaining = 0

  const flush = (): void => {
    const isAscii = !/[\x80-\xff]/.test(undecoded)
    group.story.text += isAscii
      ? undecoded
      : decodeBytes(Buffer.from(undecoded, "latin1"), fonts.encodingOf(group.font))
    undecoded = ""
  }
  const isShown = (): boolean => !(group.isIgnored || group.isHidden || group.isDeleted)
  const writeBytes = (bytes: string): void => {
    const visible = fallbackRemaining > 0 ? bytes.slice(fallbackRemaining) : bytes
    fallbackRemaining = Math.max(0, fallbackRemaining - bytes.length)
    if (isShown()) undecoded += visible
  }
  const write = (text: string): void => {
    if (fallbackRemaining > 0) fallbackRemaining--
    else if (isShown()) group.story.text += text
  }
  const writeNotes = (): void => {
    for (const { text } of pendingNotes) body.text += `\n\n${text.trim()}`
    pendingNotes = []
  }
  const endParagraph = (): void => {
    if (group.story === body) writeNotes()
    // The end of a hidden paragraph is shown, so that it does not join its neighbours.
    if (!group.isIgnored) group.story.text += "\n\n"
  }
  const enterStory = (name: string): void => {
    if (!isShown()) {
      group.isIgnored = true
      return
    }
    const story: Story = { text: "" }
    if (name.startsWith("header")) headers.push(story)
    else if (name.startsWith("footer")) footers.push(story)
    else {
      const mark = `[^${++notes}]`
      group.story.text += mark
      story.text = `${mark}: `
      pendingNotes.push(story)
    }
    group.story = story
  }
  const writeUnicode = (code: number): void => {
    if (isShown()) group.story.text += String.fromCharCode(code & 0xffff)
    fallbackRemaining = group.fallback
  }
  const readFontDefinition = (name: string, value: number): void => {
    const font = group.font ?? 0
    if (name === "f") group.font = value
    else if (name === "fcharset") fonts.setFontCharset(font, value)
    else if (name === "cpg") fonts.setFontCodePage(font, value)
  }
  const readFormatting = (name: string, isOn: boolean): void => {
    if (name === "v") group.isHidden = isOn
    else if (name === "deleted") group.isDeleted = isOn
    else if (name === "plain") Object.assign(group, { isHidden: false, isDeleted: false })
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
  const readOtherWord = (name: string, value: string | undefined): void => {
    if (name === "uc") group.fallback = Number(value ?? 1)
    else if (name === "u") writeUnicode(Number(value))
    // It stands in a destination of table properties.
    else if (name === "nestrow") group.story.text += "; "
    else {
      readFormatting(name, value !== "0")
      readEncodingWord(name, Number(value ?? 0))
    }
  }
  const readControlWord = (name: string, value: string | undefined): void => {
    const text = textByControlWord.get(name)
    if (ignoredDestinations.has(name)) enterDestination(name)
    else if (storyWord.test(name)) enterStory(name)
    else if (paragraphEnd.test(name)) endParagraph()
    else if (text === undefined) readOtherWord(name, value)
    else write(text)
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
  writeNotes()
  return [...distinctBlocks(headers), ...toBlocks(body.text), ...distinctBlocks(footers)]
}
