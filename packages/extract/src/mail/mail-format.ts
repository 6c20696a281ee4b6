import type { DocumentSource } from "../reading-context.ts"
import { detectUtf16 } from "../text/utf16.ts"

/** Headers of a message that went through many servers take more than 10 KB. */
const sampleSize = 65_536

export type MailFormat = "eml" | "emlx" | "mbox" | "mhtml"

const headerLine = /^[!-9;-~]+:/
/** Headers that people do not type. */
const technicalHeader =
  /^(?:received|return-path|delivered-to|message-id|mime-version|content-type|x-)/im

/** Header lines only, up to the blank line. */
const isHeaderBlock = (block: string): boolean =>
  block.split("\n").every((line, at) => headerLine.test(line) || (at > 0 && /^[ \t]/.test(line)))

const isMessage = (head: string): boolean => {
  const [block = ""] = head.trimStart().split("\n\n", 1)
  const visible = new Set(block.toLowerCase().match(/^(from|to|subject|date):/gm))
  return visible.size >= 2 && technicalHeader.test(block) && isHeaderBlock(block)
}

/** A line that begins with "From ", then headers or nothing. */
const mayBeMbox = (head: string): boolean => /^From [^\n]+\n(>?[!-9;-~]+:|\n)/.test(head)

/** The line states a sender and a date with a time, unlike a text that begins with "From ". */
const isMbox = (head: string): boolean =>
  mayBeMbox(head) && /^From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b[^\n]*\d:\d\d/.test(head)

/** A byte count, the message, and a property list with its flags. */
const isAppleMail = (head: string): boolean =>
  /^\d+\s*\n/.test(head) && isMessage(head.slice(head.indexOf("\n") + 1))

const isWebArchive = (head: string): boolean =>
  /^(snapshot-content-location:|from: <?saved by )/im.test(head)

const formatByExtension: ReadonlyMap<string, MailFormat> = new Map<string, MailFormat>([
  ["eml", "eml"],
  ["emlx", "emlx"],
  ["mht", "mhtml"],
  ["mhtml", "mhtml"],
])

const mboxExtension = /^(mbox|mbx)$/

/** Recognizes a message by its filename, then by its content. */
export const detectMailFormat = ({
  bytes,
  filename,
  contentType,
}: DocumentSource): MailFormat | null => {
  const start = bytes.subarray(0, sampleSize)
  const head = new TextDecoder(detectUtf16(start) ?? "latin1").decode(start).replace(/\r/g, "")
  const extension = /\.(\w+)$/.exec(filename.toLowerCase())?.[1] ?? ""
  const byName = formatByExtension.get(extension)
  if (byName) return byName
  if (mboxExtension.test(extension) ? mayBeMbox(head) : isMbox(head)) return "mbox"
  if (isAppleMail(head)) return "emlx"
  if (isMessage(head)) return isWebArchive(head) ? "mhtml" : "eml"
  return contentType === "message/rfc822" ? "eml" : null
}
