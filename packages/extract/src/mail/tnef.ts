import { failUnreadable } from "../unreadable.ts"

const signature = 0x223e9f78
const headerSize = 6

/** An attribute of a TNEF stream ([MS-OXTNEF] 2.1.3.3): a level, an ID and a type. */
export interface TnefAttribute {
  id: number
  data: Buffer
}

export const attributeIds = {
  subject: 0x00018004,
  body: 0x0002800c,
  codePage: 0x00069007,
  messageProperties: 0x00069003,
  attachmentStart: 0x00069002,
  attachmentName: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
}

export const isTnef = (bytes: Buffer): boolean =>
  bytes.length > headerSize && bytes.readUInt32LE(0) === signature

/** @throws {UnreadableDocumentError} if it is no TNEF stream; one that ends early is read that far */
export const parseTnefAttributes = (bytes: Buffer): TnefAttribute[] => {
  if (!isTnef(bytes)) failUnreadable("damaged", { id: "document_damaged" })
  const attributes: TnefAttribute[] = []
  let at = headerSize
  while (at + 9 <= bytes.length) {
    const id = bytes.readUInt32LE(at + 1)
    const end = at + 9 + bytes.readUInt32LE(at + 5)
    attributes.push({ id, data: bytes.subarray(at + 9, end) })
    at = end + 2
  }
  return attributes
}

/** Sizes of values by property type; strings, bytes and objects state theirs. */
const sizeByType = new Map([
  [0x0002, 4],
  [0x0003, 4],
  [0x0004, 4],
  [0x0005, 8],
  [0x0006, 8],
  [0x0007, 8],
  [0x000a, 4],
  [0x000b, 4],
  [0x0014, 8],
  [0x0040, 8],
  [0x0048, 16],
])
const statedSize = new Set([0x000d, 0x001e, 0x001f, 0x0102])
const multipleValues = 0x1000
const firstNamedId = 0x8000

export interface TnefProperties {
  valueByTag: Map<number, Buffer>
  /** IDs of named properties, by their long ID (LID). */
  idByLongId: Map<number, number>
}

/** Reads little-endian numbers and padded bytes one after the other. */
class PropertyCursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at + 4 > this.#bytes.length
  }

  number(): number {
    return this.isAtEnd ? 0 : this.take(4).readUInt32LE(0)
  }

  /** @returns so many bytes; their padding is passed over */
  take(size: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + size)
    this.#at += Math.ceil(size / 4) * 4
    return taken
  }
}

/** @returns the long ID; undefined for a property that is named by a text */
const readName = (cursor: PropertyCursor): number | undefined => {
  cursor.take(16)
  if (cursor.number() === 0) return cursor.number()
  cursor.take(cursor.number())
  return undefined
}

/** Reads one value, or several of which the first one counts. */
const readValue = (cursor: PropertyCursor, type: number): Buffer | undefined => {
  const isStated = statedSize.has(type & ~multipleValues)
  const size = sizeByType.get(type & ~multipleValues)
  if (!isStated && size === undefined) return undefined
  const count = isStated || (type & multipleValues) !== 0 ? cursor.number() : 1
  let first: Buffer | undefined
  for (let read = 0; read < count && !cursor.isAtEnd; read++) {
    const value = cursor.take(size ?? cursor.number())
    first ??= value
  }
  return first ?? Buffer.alloc(0)
}

/** Properties of a message or an attachment ([MS-OXTNEF] 2.1.3.4), up to the first unknown type. */
export const parseTnefProperties = (bytes: Buffer): TnefProperties => {
  const cursor = new PropertyCursor(bytes)
  const properties: TnefProperties = { valueByTag: new Map(), idByLongId: new Map() }
  const count = cursor.number()
  for (let read = 0; read < count && !cursor.isAtEnd; read++) {
    const tag = cursor.number()
    const [type, id] = [tag & 0xffff, tag >>> 16]
    const longId = id >= firstNamedId ? readName(cursor) : undefined
    if (longId !== undefined) properties.idByLongId.set(longId, id)
    const value = readValue(cursor, type)
    if (value === undefined) break
    properties.valueByTag.set(id * 0x10000 + (type & ~multipleValues), value)
  }
  return properties
}
