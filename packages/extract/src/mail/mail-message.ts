import type { Block } from "../blocks.ts"
import { readHtml } from "../text/html.ts"
import { readPlainText } from "../text/plain-text.ts"

/** A message or another item of a mailbox, such as an appointment, in any file format. */
export interface MailMessage {
  subject: string
  /** Lines below the subject, such as "From", in order; empty values are left out. */
  fields: readonly (readonly [name: string, value: string])[]
  text: string
  html: string
  attachments: readonly MailAttachment[]
}

export interface MailAttachment {
  name: string
  contentType: string
  /** A part of the HTML text, such as a picture in it. */
  isInline: boolean
  /** @param heading headings above those of the attachment */
  read(heading: readonly string[]): Promise<Block[]>
}

const imageName = /\.(png|jpe?g|jfif|gif|bmp|webp|svg|ico|emf|wmf|heic)$/i
const imageType = /^image\/(?!tiff)/
const signatureType = /^application\/(x-)?(pkcs7-signature|pgp-signature)$/

const isImage = ({ name, contentType }: MailAttachment): boolean =>
  imageType.test(contentType) || imageName.test(name)

/** Logos, photographs and signatures have no text; to report each of them would hide the rest. */
const isRead = (attachment: MailAttachment): boolean =>
  !isImage(attachment) && !signatureType.test(attachment.contentType)

const countLetters = (text: string): number =>
  text.replace(/https?:\/\/\S+/g, "").replace(/[^\p{L}\p{N}]+/gu, "").length

/** By this factor, and by this number of letters, HTML says more than its plain alternative. */
const richer = { factor: 1.25, letters: 20 }

/**
 * The plain text, or the HTML if that says substantially more: many senders put nothing but "view in
 * a browser" into the plain text.
 */
const readBody = ({ text, html }: MailMessage): Block[] => {
  const plain = readPlainText(text.trimEnd())
  if (html.trim() === "") return plain
  const rich = readHtml(html)
  const letters = countLetters(text)
  const richLetters = countLetters(rich.map((block) => block.text).join("\n"))
  const isRicher = richLetters > letters * richer.factor && richLetters - letters >= richer.letters
  return letters === 0 || isRicher ? rich : plain
}

/** The name of a part that comes without one. */
export const unnamedAttachment = "unnamed"

const readHead = ({ subject, fields, attachments }: MailMessage): string => {
  const names = attachments
    .filter((attachment) => !(attachment.isInline && isImage(attachment)))
    .map(({ name }) => name)
  const lines = [["Subject", subject], ...fields, ["Attachments", names.join(", ")]]
  return lines
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
}

/** The head, the body and the attachments of a message, all under its subject. */
export const readMailMessage = async (message: MailMessage): Promise<Block[]> => {
  const { subject, attachments } = message
  const subjectPath = subject ? [subject] : []
  const own: Block[] = [
    { text: readHead(message), kind: "paragraph", location: {} },
    ...readBody(message),
  ]
  const blocks = own.map((block) => ({
    ...block,
    location: {
      ...block.location,
      ...(subject ? { heading: [subject, ...(block.location.heading ?? [])] } : {}),
    },
  }))
  for (const attachment of attachments.filter(isRead)) {
    const name = attachment.name === unnamedAttachment ? [] : [attachment.name]
    for (const block of await attachment.read([...subjectPath, ...name])) blocks.push(block)
  }
  return blocks
}
