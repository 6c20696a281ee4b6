import PostalMime, { type Address, type Attachment, type Email } from "postal-mime"
import type { Block } from "../blocks.ts"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import { readHtml } from "../text/html.ts"
import { failUnreadable } from "../unreadable.ts"
import {
  type MailAttachment,
  type MailMessage,
  readMailMessage,
  unnamedAttachment,
} from "./mail-message.ts"
import { toMimeBytes } from "./mime-bytes.ts"
import { parseTnef } from "./read-tnef.ts"
import { isTnef } from "./tnef.ts"

const limits = { maxNestingDepth: 20, maxHeadersSize: 1_000_000 }

type MessageSource = Pick<DocumentSource, "bytes" | "encoding">

const parse = async (source: MessageSource, context: ReadingContext): Promise<Email> => {
  const bytes = await toMimeBytes(source, context)
  try {
    return await PostalMime.parse(bytes, { ...limits, forceRfc822Attachments: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : ""
    if (message.startsWith("Maximum header size"))
      failUnreadable("too_large", { id: "document_headers_too_large" })
    if (message.startsWith("Maximum MIME nesting")) {
      failUnreadable("too_large", { id: "document_parts_nested_too_deeply" })
    }
    throw error
  }
}

const formatAddress = ({ name, address, group }: Address): string => {
  if (group) return `${name}: ${formatAddresses(group)}`
  return name && address ? `${name} <${address}>` : address || name
}
const formatAddresses = (addresses: readonly Address[] = []): string =>
  addresses.map(formatAddress).join(", ")

/** Names for parts that come without one. */
const nameByType: ReadonlyMap<string, string> = new Map([
  ["text/calendar", "calendar.ics"],
  ["message/delivery-status", "delivery-status.txt"],
])

const toBytes = ({ content }: Attachment): Buffer =>
  typeof content === "string" ? Buffer.from(content) : Buffer.from(new Uint8Array(content))

const toMailAttachment = (part: Attachment, context: ReadingContext): MailAttachment => {
  const { mimeType: contentType, related = false } = part
  const name = part.filename ?? nameByType.get(contentType) ?? unnamedAttachment
  return {
    name,
    contentType,
    isInline: related,
    read: (heading) =>
      context.readAttachment({ bytes: toBytes(part), filename: name, contentType }, heading),
  }
}

/** Exchange sends the text and the attachments in one attachment (winmail.dat). */
const unpackAttachment = (part: Attachment, context: ReadingContext): Partial<MailMessage> => {
  const bytes = toBytes(part)
  return isTnef(bytes)
    ? parseTnef(bytes, context)
    : { attachments: [toMailAttachment(part, context)] }
}

/** An e-mail (RFC 5322, MIME): main headers, body text, and attachments. */
export const readEml = async (source: MessageSource, context: ReadingContext): Promise<Block[]> => {
  const mail = await parse(source, context)
  const { subject = "", from, to, cc, date = "" } = mail
  context.noteDates(() => [date])
  const parts = mail.attachments.map((part) => unpackAttachment(part, context))
  const firstOf = (kind: "text" | "html"): string =>
    [mail, ...parts].map((part) => part[kind] ?? "").find((body) => body.trim() !== "") ?? ""
  return readMailMessage({
    subject,
    fields: [
      ["From", from ? formatAddress(from) : ""],
      ["To", formatAddresses(to)],
      ["Cc", formatAddresses(cc)],
      ["Date", date],
    ],
    text: firstOf("text"),
    html: firstOf("html"),
    attachments: parts.flatMap(({ attachments = [] }) => attachments),
  })
}

/** A message of Apple Mail: its length in bytes, the message, and a property list. */
export const readEmlx = (
  { bytes, encoding }: MessageSource,
  context: ReadingContext,
): Promise<Block[]> => {
  const start = bytes.indexOf("\n") + 1
  const length = Number.parseInt(bytes.toString("latin1", 0, start), 10)
  const message = Number.isNaN(length) ? bytes : bytes.subarray(start, start + length)
  return readEml({ bytes: message, encoding }, context)
}

/** A web page with its parts in one file (RFC 2557). */
export const readMhtml = async (
  source: MessageSource,
  context: ReadingContext,
): Promise<Block[]> => {
  const { html = "", text = "", date = "" } = await parse(source, context)
  context.noteDates(() => [date])
  return readHtml(html || text)
}
