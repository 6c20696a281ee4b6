import PostalMime from "postal-mime"
import type { Block } from "../blocks.ts"
import type { ReadingContext } from "../reading-context.ts"
import { readHtml } from "../text/html.ts"
import { readPlainText } from "../text/plain-text.ts"
import { failUnreadable } from "../unreadable.ts"

interface Address {
  name?: string | undefined
  address?: string | undefined
}

const formatAddress = ({ name, address }: Address): string =>
  name && address ? `${name} <${address}>` : (address ?? name ?? "")

const limits = { maxNestingDepth: 20, maxHeadersSize: 1_000_000 }

const parse = async (bytes: Buffer) => {
  try {
    return await PostalMime.parse(new Uint8Array(bytes), limits)
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

/** An e-mail (RFC 5322, MIME): main headers, body text, and attachment names. */
export const readEmail = async (bytes: Buffer, context: ReadingContext): Promise<Block[]> => {
  const mail = await parse(bytes)
  const { subject = "", from, to = [], date, attachments } = mail
  const head = [
    subject && `Subject: ${subject}`,
    from && `From: ${formatAddress(from)}`,
    to.length > 0 && `To: ${to.map(formatAddress).join(", ")}`,
    date && `Date: ${date}`,
    attachments.length > 0 &&
      `Attachments: ${attachments.map(({ filename }) => filename ?? "unnamed").join(", ")}`,
  ].filter((line): line is string => typeof line === "string" && line !== "")
  const body = mail.text?.trim() ? readPlainText(mail.text) : readHtml(mail.html ?? "")
  const location = subject ? { heading: [subject] } : {}
  const attached: Block[] = []
  for (const { filename, mimeType, content } of attachments) {
    const attachment = {
      bytes:
        typeof content === "string" ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
      filename: filename ?? "",
      contentType: mimeType,
    }
    attached.push(
      ...(await context.readAttachment(attachment, [subject, attachment.filename].filter(Boolean))),
    )
  }
  return [
    { text: head.join("\n"), kind: "paragraph", location },
    ...body.map((block) => ({ ...block, location: { ...location, ...block.location } })),
    ...attached,
  ]
}
