import type { Block } from "../blocks.ts"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import { type MailAttachment, type MailMessage, readMailMessage } from "./mail-message.ts"
import { MapiProperties } from "./mapi-properties.ts"
import { messageTime } from "./outlook-fields.ts"
import { describeAttachment, toMailMessage } from "./outlook-item.ts"
import {
  attributeIds,
  parseTnefAttributes,
  parseTnefProperties,
  type TnefAttribute,
} from "./tnef.ts"

const attachmentDataId = 0x3701
const types = { object: 0x000d, binary: 0x0102 }
/** An object within an attachment begins with the ID of its interface. */
const interfaceIdSize = 16
const noBytes = Buffer.alloc(0)

type Attributes = readonly TnefAttribute[]

const dataOf = (attributes: Attributes, id: number): Buffer =>
  attributes.find((attribute) => attribute.id === id)?.data ?? noBytes

/** The message's own attributes, then those of each attachment. */
const splitAttachments = (attributes: Attributes): TnefAttribute[][] => {
  const parts: TnefAttribute[][] = [[]]
  for (const attribute of attributes) {
    if (attribute.id === attributeIds.attachmentStart) parts.push([])
    else parts.at(-1)?.push(attribute)
  }
  return parts
}

const readAttachment = (
  attributes: Attributes,
  codePages: readonly (number | undefined)[],
  context: ReadingContext,
): MailAttachment => {
  const { valueByTag } = parseTnefProperties(dataOf(attributes, attributeIds.attachmentProperties))
  const properties = new MapiProperties((tag) => valueByTag.get(tag), codePages)
  const name = properties.decode(dataOf(attributes, attributeIds.attachmentName))
  const attachment = describeAttachment(properties, name)
  const object = valueByTag.get(attachmentDataId * 0x10000 + types.object)
  const bytes = object
    ? object.subarray(interfaceIdSize)
    : (valueByTag.get(attachmentDataId * 0x10000 + types.binary) ??
      dataOf(attributes, attributeIds.attachmentData))
  const source = { bytes, filename: attachment.name, contentType: attachment.contentType }
  return { ...attachment, read: (heading) => context.readAttachment(source, heading) }
}

/**
 * A message in the format of Outlook and Exchange (winmail.dat, [MS-OXTNEF]).
 * @throws {UnreadableDocumentError} if it is in another format
 */
export const parseTnef = (bytes: Buffer, context: ReadingContext): MailMessage => {
  const [own = [], ...attached] = splitAttachments(parseTnefAttributes(bytes))
  const codePage = dataOf(own, attributeIds.codePage)
  const { valueByTag, idByLongId } = parseTnefProperties(
    dataOf(own, attributeIds.messageProperties),
  )
  const properties = new MapiProperties(
    (tag) => valueByTag.get(tag),
    [codePage.length >= 4 ? codePage.readUInt32LE(0) : undefined],
  )
  context.noteDates(() => [messageTime(properties)])
  const { codePages } = properties
  const attachments = attached.map((part) => readAttachment(part, codePages, context))
  const message = toMailMessage({ properties, idByLongId, recipients: [], attachments })
  const { subject, text, html } = message
  return {
    ...message,
    subject: subject || properties.decode(dataOf(own, attributeIds.subject)),
    text: text || html ? text : properties.decode(dataOf(own, attributeIds.body)),
  }
}

export const readTnef = async (
  { bytes }: Pick<DocumentSource, "bytes">,
  context: ReadingContext,
): Promise<{ format: string; blocks: Block[] }> => ({
  format: "tnef",
  blocks: await readMailMessage(parseTnef(bytes, context)),
})
