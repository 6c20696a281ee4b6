import { failUnreadable } from "../unreadable.ts"

/** A folder in a compound file. */
export interface CompoundStorage {
  name: string
  storages: CompoundStorage[]
  /** In lower case, as names are compared regardless of case. */
  streamNames: ReadonlySet<string>
  /** @returns null if there is no stream of this name */
  read(streamName: string): Buffer | null
}

export interface CompoundFile {
  root: CompoundStorage
  /** CLSID of the root in lower-case hexadecimal digits as stored; names the application. */
  classId: string
}

interface DirectoryEntry {
  name: string
  type: number
  left: number
  right: number
  child: number
  start: number
  size: number
}

const entrySize = 128
const entryTypes = { storage: 1, stream: 2 }
const maxSectorNumber = 0xfffffffa
const headerFatSectors = 109
const headerSize = 512

const fail = (): never => failUnreadable("damaged", { id: "document_damaged" })

/** The sectors of one size, and the table that chains them. */
interface SectorSpace {
  sectorSize: number
  /** Sector numbers by their predecessor. */
  next: Uint32Array
  sector(at: number): Buffer
}

/** Sectors of a chain, up to `size` bytes. A chain that is longer than its table has a cycle. */
const readChain = (space: SectorSpace, start: number, size = Number.POSITIVE_INFINITY): Buffer => {
  const { next, sectorSize } = space
  const sectors: Buffer[] = []
  let remaining = size
  for (let at = start; at < maxSectorNumber && remaining > 0; at = next[at] ?? maxSectorNumber) {
    if (sectors.length >= next.length) fail()
    const sector = space.sector(at)
    if (sector.length === 0) break
    sectors.push(sector)
    remaining -= sectorSize
  }
  const bytes = Buffer.concat(sectors)
  return bytes.subarray(0, Math.min(size, bytes.length))
}

const toNumbers = (bytes: Buffer): Uint32Array => {
  const numbers = new Uint32Array(bytes.length >> 2)
  for (let at = 0; at < numbers.length; at++) numbers[at] = bytes.readUInt32LE(at * 4)
  return numbers
}

/** Sector numbers of the FAT: in the header, then in the chain of DIFAT sectors. */
const fatSectorNumbers = (bytes: Buffer, sectorSize: number): number[] => {
  const numbers = [...toNumbers(bytes.subarray(76, 76 + headerFatSectors * 4))]
  const maxDifatSectors = bytes.length / sectorSize
  let at = bytes.readUInt32LE(68)
  for (let read = 0; at < maxSectorNumber; read++) {
    const sector = bytes.subarray((at + 1) * sectorSize, (at + 2) * sectorSize)
    if (read > maxDifatSectors || sector.length < sectorSize) break
    const listed = toNumbers(sector)
    at = listed.at(-1) ?? maxSectorNumber
    for (const number of listed.subarray(0, -1)) numbers.push(number)
  }
  return numbers.filter((number) => number < maxSectorNumber).slice(0, bytes.readUInt32LE(44))
}

const openSectors = (bytes: Buffer): SectorSpace => {
  const shift = bytes.readUInt16LE(30)
  if (shift !== 9 && shift !== 12) fail()
  const sectorSize = 2 ** shift
  const sector = (at: number): Buffer =>
    bytes.subarray((at + 1) * sectorSize, (at + 2) * sectorSize)
  const maxSectors = Math.ceil(bytes.length / sectorSize)
  const fat = fatSectorNumbers(bytes, sectorSize)
    .slice(0, Math.ceil(maxSectors / (sectorSize / 4)))
    .map(sector)
  return { sectorSize, sector, next: toNumbers(Buffer.concat(fat)).subarray(0, maxSectors) }
}

const parseEntry = (bytes: Buffer, isLarge: boolean): DirectoryEntry => {
  const nameLength = Math.min(64, bytes.readUInt16LE(64))
  return {
    name: bytes.toString("utf16le", 0, Math.max(0, nameLength - 2)),
    type: bytes.readUInt8(66),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
    start: bytes.readUInt32LE(116),
    // Files with small sectors may have anything in the upper half.
    size: bytes.readUInt32LE(120) + (isLarge ? bytes.readUInt32LE(124) * 2 ** 32 : 0),
  }
}

/**
 * Opens a compound file ([MS-CFB]), the container of Outlook messages and of Office documents from
 * before 2007. Reads each stream when asked, and no more bytes in all than the file has twice, so
 * that streams that share sectors do not multiply.
 * @throws {UnreadableDocumentError} if its directory is damaged
 */
export const openCompoundFile = (bytes: Buffer): CompoundFile => {
  if (bytes.length < headerSize * 2) fail()
  const sectors = openSectors(bytes)
  const directory = readChain(sectors, bytes.readUInt32LE(48))
  const entries: DirectoryEntry[] = []
  for (let at = 0; at + entrySize <= directory.length; at += entrySize)
    entries.push(parseEntry(directory.subarray(at, at + entrySize), sectors.sectorSize > 512))
  const [rootEntry = fail()] = entries
  const minRegularSize = bytes.readUInt32LE(56)
  const smallStream = readChain(sectors, rootEntry.start, rootEntry.size)
  const small: SectorSpace = {
    sectorSize: 64,
    next: toNumbers(readChain(sectors, bytes.readUInt32LE(60))),
    sector: (at) => smallStream.subarray(at * 64, (at + 1) * 64),
  }
  let budget = bytes.length * 2

  const readStream = ({ start, size }: DirectoryEntry): Buffer => {
    const stream = readChain(size < minRegularSize ? small : sectors, start, size)
    budget -= stream.length
    return budget < 0 ? fail() : stream
  }

  const visited = new Set<number>()
  /** Entries of a storage, which form a binary tree. */
  const childrenOf = ({ child }: DirectoryEntry): DirectoryEntry[] => {
    const children: DirectoryEntry[] = []
    const pending = [child]
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const entry = entries[at]
      if (!entry || visited.has(at)) continue
      visited.add(at)
      children.push(entry)
      pending.push(entry.right, entry.left)
    }
    return children
  }

  const unopened: { entry: DirectoryEntry; siblings: CompoundStorage[] }[] = []
  const openStorage = (entry: DirectoryEntry): CompoundStorage => {
    const storages: CompoundStorage[] = []
    const streams = new Map<string, DirectoryEntry>()
    for (const child of childrenOf(entry)) {
      if (child.type === entryTypes.stream) streams.set(child.name.toLowerCase(), child)
      if (child.type === entryTypes.storage) unopened.push({ entry: child, siblings: storages })
    }
    return {
      name: entry.name,
      storages,
      streamNames: new Set(streams.keys()),
      read: (name) => {
        const stream = streams.get(name.toLowerCase())
        return stream ? readStream(stream) : null
      },
    }
  }

  const root = openStorage(rootEntry)
  for (const { entry, siblings } of unopened) siblings.push(openStorage(entry))
  return { root, classId: directory.toString("hex", 80, 96) }
}
