import type { Block } from "../blocks.ts"
import type { CompoundStorage } from "../ole/compound-file.ts"
import type { ReadingContext } from "../reading-context.ts"
import { type MailAttachment, readMailMessage } from "./mail-message.ts"
import { MapiProperties } from "./mapi-properties.ts"
import { headerSizes, readNamedProperties, readStoredValues } from "./msg-properties.ts"
import { messageTime } from "./outlook-fields.ts"
import { describeAttachment, toMailMessage } from "./outlook-item.ts"

const attachmentData = 0x3701

const maxEmbeddedDepth = 10

interface StoredItem {
  storage: CompoundStorage
  properties: MapiProperties
  idByLongId: ReadonlyMap<number, number>
  /** Number of items around it. */
  depth: number
}

const partsOf = (storage: CompoundStorage, kind: "recip" | "attach"): CompoundStorage[] =>
  storage.storages
    .filter(({ name }) => name.startsWith(`__${kind}_version1.0_`))
    .sort((a, z) => (a.name < z.name ? -1 : 1))

/** @returns what the RTF has beyond the plain text, which Outlook stores beside it */
const readAttachment = (
  attached: CompoundStorage,
  item: StoredItem,
  context: ReadingContext,
): MailAttachment => {
  const values = readStoredValues(attached, headerSizes.part)
  const properties = new MapiProperties(values, item.properties.codePages)
  const attachment = describeAttachment(properties)
  const { name: filename, contentType } = attachment
  const embedded = attached.storages.find(({ name }) => name === "__substg1.0_3701000D")
  return {
    ...attachment,
    read: async (heading) => {
      if (embedded) return readEmbeddedItem(embedded, { item, name: filename, heading }, context)
      const bytes = properties.binary(attachmentData) ?? Buffer.alloc(0)
      return context.readAttachment({ bytes, filename, contentType }, heading)
    },
  }
}

/** Outlook names attached items after their subjects, under which their texts are already. */
const joinHeadings = (above: readonly string[], own: readonly string[] = []): string[] =>
  above.at(-1) === own[0] ? [...above.slice(0, -1), ...own] : [...above, ...own]

const readEmbeddedItem = async (
  storage: CompoundStorage,
  { item, name, heading }: { item: StoredItem; name: string; heading: readonly string[] },
  context: ReadingContext,
): Promise<Block[]> => {
  const depth = item.depth + 1
  if (depth > maxEmbeddedDepth || !storage.streamNames.has("__properties_version1.0")) {
    context.warn({ id: "document_attachment_unreadable", values: { name } })
    return []
  }
  const properties = new MapiProperties(
    readStoredValues(storage, headerSizes.embedded),
    item.properties.codePages,
  )
  const blocks = await readItem({ ...item, storage, properties, depth }, context)
  return blocks.map(({ location, ...block }) => ({
    ...block,
    location: { ...location, heading: joinHeadings(heading, location.heading) },
  }))
}

const readItem = (item: StoredItem, context: ReadingContext): Promise<Block[]> => {
  const { storage, properties, idByLongId } = item
  const recipients = partsOf(storage, "recip").map(
    (part) => new MapiProperties(readStoredValues(part, headerSizes.part), properties.codePages),
  )
  const attachments = partsOf(storage, "attach").map((part) => readAttachment(part, item, context))
  return readMailMessage(toMailMessage({ properties, idByLongId, recipients, attachments }))
}

/** A message, appointment, contact or task of Outlook ([MS-OXMSG]), with all that is attached. */
export const readOutlookItem = (
  root: CompoundStorage,
  context: ReadingContext,
): Promise<Block[]> => {
  const properties = new MapiProperties(readStoredValues(root, headerSizes.file))
  context.noteDates(() => [messageTime(properties)])
  const idByLongId = readNamedProperties(root)
  return readItem({ storage: root, properties, idByLongId, depth: 0 }, context)
}
