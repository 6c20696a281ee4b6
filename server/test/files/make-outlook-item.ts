import { createCompoundFile, type Storage } from "./make-compound-file.ts"

/** Property IDs of [MS-OXPROPS]. */
const ids = {
  messageClass: 0x001a,
  subject: 0x0037,
  submitTime: 0x0039,
  senderName: 0x0c1a,
  senderSmtpAddress: 0x5d01,
  recipientType: 0x0c15,
  displayName: 0x3001,
  smtpAddress: 0x39fe,
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  messageCodePage: 0x3ffd,
  attachmentData: 0x3701,
  attachmentMethod: 0x3705,
  attachmentLongFilename: 0x3707,
  attachmentContentType: 0x370e,
}

type PropertyName = keyof typeof ids
type Value = string | number | Date | Buffer
type Values = { readonly [Name in PropertyName]?: Value }

export interface OutlookItem {
  properties: Values
  /** Named properties of numbered names (LID). */
  named?: Readonly<Record<number, string | Date>>
  recipients?: readonly Values[]
  attachments?: readonly (Values & { item?: OutlookItem })[]
  /** 8-bit strings in a code page instead of Unicode; given by an encoder. */
  encode?: (text: string) => Buffer
}

const hex = (number: number, digits: number): string =>
  number.toString(16).toUpperCase().padStart(digits, "0")

const fileTime = (date: Date): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE((BigInt(date.getTime()) + 11_644_473_600_000n) * 10_000n)
  return bytes
}

const listed = (id: number, type: number, value: Buffer): Buffer => {
  const entry = Buffer.alloc(16)
  entry.writeUInt32LE(id * 0x10000 + type, 0)
  entry.writeUInt32LE(6, 4)
  value.copy(entry, 8, 0, 8)
  return entry
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

const encodeProperties = (
  values: readonly (readonly [id: number, value: Value])[],
  headerSize: number,
  encode?: (text: string) => Buffer,
): Storage => {
  const list: Buffer[] = [Buffer.alloc(headerSize)]
  const streams: Storage = {}
  const addStream = (id: number, type: number, bytes: Buffer): void => {
    streams[`__substg1.0_${hex(id, 4)}${hex(type, 4)}`] = bytes
    list.push(listed(id, type, int32(bytes.length)))
  }
  for (const [id, value] of values) {
    if (typeof value === "number") list.push(listed(id, 0x0003, int32(value)))
    else if (value instanceof Date) list.push(listed(id, 0x0040, fileTime(value)))
    else if (Buffer.isBuffer(value)) addStream(id, 0x0102, value)
    else if (encode) addStream(id, 0x001e, encode(value))
    else addStream(id, 0x001f, Buffer.from(value, "utf16le"))
  }
  return { "__properties_version1.0": Buffer.concat(list), ...streams }
}

const toPairs = (values: Values): [number, Value][] =>
  Object.entries(values).flatMap(([name, value]) =>
    name in ids && value !== undefined ? [[ids[name as PropertyName], value]] : [],
  )

const encodeItem = (item: OutlookItem, headerSize: number): Storage => {
  const { properties, named = {}, recipients = [], attachments = [], encode } = item
  const namedPairs = Object.values(named).map((value, at): [number, Value] => [0x8000 + at, value])
  const storage = encodeProperties([...toPairs(properties), ...namedPairs], headerSize, encode)
  for (const [at, recipient] of recipients.entries())
    storage[`__recip_version1.0_#${hex(at, 8)}`] = encodeProperties(toPairs(recipient), 8, encode)
  for (const [at, { item: inner, ...values }] of attachments.entries()) {
    const part = encodeProperties(toPairs(values), 8, encode)
    if (inner) part["__substg1.0_3701000D"] = encodeItem(inner, 24)
    storage[`__attach_version1.0_#${hex(at, 8)}`] = part
  }
  return storage
}

/** Names of the named properties ([MS-OXMSG] 2.2.3.1.2). */
const encodeNames = (named: Readonly<Record<number, unknown>>): Storage => {
  const entries = Object.keys(named).map((longId, at) => {
    const entry = Buffer.alloc(8)
    entry.writeUInt32LE(Number(longId), 0)
    entry.writeUInt16LE(3 << 1, 4)
    entry.writeUInt16LE(at, 6)
    return entry
  })
  return { "__substg1.0_00030102": Buffer.concat(entries) }
}

/** Creates a message or another item as Outlook saves it ([MS-OXMSG]). */
export const createOutlookItem = (item: OutlookItem): Buffer =>
  createCompoundFile({
    "__nameid_version1.0": encodeNames(item.named ?? {}),
    ...encodeItem(item, 32),
  })

/** RTF in the container that Outlook stores it in, without compression ([MS-OXRTFCP]). */
export const wrapRtf = (rtf: string): Buffer => {
  const content = Buffer.from(rtf, "latin1")
  const header = Buffer.alloc(16)
  header.writeUInt32LE(content.length + 12, 0)
  header.writeUInt32LE(content.length, 4)
  header.write("MELA", 8, "latin1")
  return Buffer.concat([header, content])
}
