import { type MailAttachment, type MailMessage, unnamedAttachment } from "./mail-message.ts"
import type { MapiProperties } from "./mapi-properties.ts"
import { readOutlookBody } from "./outlook-body.ts"
import { messageFields, otherFields } from "./outlook-fields.ts"

const ids = {
  messageClass: 0x001a,
  subject: 0x0037,
  displayName: 0x3001,
  attachmentFilename: 0x3704,
  attachmentLongFilename: 0x3707,
  attachmentContentType: 0x370e,
  attachmentContentId: 0x3712,
}

/** A message, appointment, contact or task of Outlook, from any container. */
export interface OutlookItem {
  properties: MapiProperties
  /** IDs of the named properties, by their long ID. */
  idByLongId: ReadonlyMap<number, number>
  recipients: readonly MapiProperties[]
  attachments: readonly MailAttachment[]
}

export const toMailMessage = ({
  properties,
  idByLongId,
  recipients,
  attachments,
}: OutlookItem): MailMessage => {
  const messageClass = properties.string(ids.messageClass)
  const isContact = /^ipm\.contact/i.test(messageClass)
  return {
    subject: properties.string(ids.subject),
    fields: [
      ...(isContact ? [] : messageFields(properties, recipients)),
      ...otherFields(properties, messageClass, idByLongId),
    ],
    ...readOutlookBody(properties),
    attachments,
  }
}

/** @param fallbackName if the properties have none */
export const describeAttachment = (
  properties: MapiProperties,
  fallbackName = "",
): Omit<MailAttachment, "read"> => {
  const { attachmentLongFilename, attachmentFilename, displayName } = ids
  const name = properties.firstString(attachmentLongFilename, attachmentFilename, displayName)
  return {
    name: name || fallbackName || unnamedAttachment,
    contentType: properties.string(ids.attachmentContentType).toLowerCase(),
    isInline: properties.string(ids.attachmentContentId) !== "",
  }
}
