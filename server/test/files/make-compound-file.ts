/** Streams and storages by name. */
export interface Storage {
  [name: string]: Buffer | Storage
}

interface Entry {
  name: string
  type: number
  child: number
  right: number
  start: number
  size: number
}

const sectorSize = 512
const smallSectorSize = 64
const minRegularSize = 4096
const endOfChain = 0xfffffffe
const none = 0xffffffff
const types = { storage: 1, stream: 2, root: 5 }

const pad = (bytes: Buffer, size: number, value = 0): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((size - (bytes.length % size)) % size, value)])

/** A space of sectors of one size, and the table that chains them. */
const createSpace = (size: number) => {
  const sectors: Buffer[] = []
  const next: number[] = []
  return {
    next,
    content: () => Buffer.concat(sectors),
    /** @returns the number of the first sector */
    add(bytes: Buffer): number {
      const padded = pad(bytes, size)
      const start = next.length
      for (let at = 0; at < padded.length; at += size) {
        sectors.push(padded.subarray(at, at + size))
        next.push(next.length + 1)
      }
      if (padded.length === 0) return endOfChain
      next[next.length - 1] = endOfChain
      return start
    },
  }
}

const toBytes = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, at * 4)
  return bytes
}

const encodeEntry = ({ name, type, child, right, start, size }: Entry, classId = ""): Buffer => {
  const bytes = Buffer.alloc(128)
  const length = bytes.write(name, 0, 62, "utf16le")
  bytes.writeUInt16LE(length + 2, 64)
  bytes[66] = type
  bytes[67] = 1
  bytes.writeUInt32LE(none, 68)
  bytes.writeUInt32LE(right, 72)
  bytes.writeUInt32LE(child, 76)
  bytes.write(classId, 80, "hex")
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}

/**
 * Creates a compound file ([MS-CFB], version 3). The entries of a storage form a list instead of a
 * balanced tree, which readers do not mind.
 */
export const createCompoundFile = (root: Storage, { classId = "" } = {}): Buffer => {
  const regular = createSpace(sectorSize)
  const small = createSpace(smallSectorSize)
  const entries: Entry[] = []

  const addEntry = (name: string, type: number): Entry => {
    const entry = { name, type, child: none, right: none, start: 0, size: 0 }
    entries.push(entry)
    return entry
  }
  const addStream = (entry: Entry, content: Buffer): void => {
    entry.size = content.length
    entry.start = (content.length < minRegularSize ? small : regular).add(content)
  }
  const addChildren = (parent: Entry, storage: Storage): void => {
    let previous: Entry | undefined
    for (const [name, content] of Object.entries(storage)) {
      const at = entries.length
      const isStream = Buffer.isBuffer(content)
      const entry = addEntry(name, isStream ? types.stream : types.storage)
      if (previous) previous.right = at
      else parent.child = at
      previous = entry
      if (isStream) addStream(entry, content)
      else addChildren(entry, content)
    }
  }

  const rootEntry = addEntry("Root Entry", types.root)
  addChildren(rootEntry, root)
  rootEntry.size = small.content().length
  rootEntry.start = regular.add(small.content())
  const smallTableStart = regular.add(pad(toBytes(small.next), sectorSize, 0xff))
  const directory = entries.map((entry, at) => encodeEntry(entry, at === 0 ? classId : ""))
  const directoryStart = regular.add(Buffer.concat(directory))
  const tableStart = regular.next.length
  const perSector = sectorSize / 4
  let tableSectors = 1
  while ((tableStart + tableSectors) / perSector > tableSectors) tableSectors++
  const table = [...regular.next, ...Array.from({ length: tableSectors }, () => 0xfffffffd)]
  const header = Buffer.alloc(sectorSize)
  header.write("d0cf11e0a1b11ae1", "hex")
  header.writeUInt16LE(0x3e, 24)
  header.writeUInt16LE(3, 26)
  header.writeUInt16LE(0xfffe, 28)
  header.writeUInt16LE(9, 30)
  header.writeUInt16LE(6, 32)
  header.writeUInt32LE(tableSectors, 44)
  header.writeUInt32LE(directoryStart, 48)
  header.writeUInt32LE(minRegularSize, 56)
  header.writeUInt32LE(smallTableStart, 60)
  header.writeUInt32LE(small.next.length === 0 ? 0 : 1, 64)
  header.writeUInt32LE(endOfChain, 68)
  header.fill(0xff, 76)
  for (let at = 0; at < tableSectors; at++) header.writeUInt32LE(tableStart + at, 76 + at * 4)
  return Buffer.concat([header, regular.content(), pad(toBytes(table), sectorSize, 0xff)])
}
