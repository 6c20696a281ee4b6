import { inflateRawSync } from "node:zlib"
import { failPasswordProtected, failUnreadable } from "../unreadable.ts"

interface ZipEntry {
  name: string
  method: number
  encrypted: boolean
  packed: number
  unpacked: number
  offset: number
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const maxEntries = 20_000
/** Maximum compression ratio: far above Office documents, far below archive bombs. */
const maxRatio = 250
const minUnpackedLimit = 1_000_000

const findEnd = (bytes: Buffer): number => {
  const lowest = Math.max(0, bytes.length - 65_557)
  for (let at = bytes.length - 22; at >= lowest; at--) {
    if (bytes.readUInt32LE(at) === endSignature) return at
  }
  return failUnreadable("damaged", { id: "document_zip_incomplete" })
}

const isPathTraversal = (name: string): boolean =>
  name.startsWith("/") || /^[a-z]:/i.test(name) || name.split(/[/\\]/).includes("..")

const readEntry = (bytes: Buffer, at: number): { entry: ZipEntry; next: number } => {
  if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entrySignature) {
    failUnreadable("damaged", { id: "document_zip_directory_invalid" })
  }
  const nameLength = bytes.readUInt16LE(at + 28)
  const next = at + 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  const entry = {
    name: bytes.toString("utf8", at + 46, at + 46 + nameLength),
    method: bytes.readUInt16LE(at + 10),
    encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    packed: bytes.readUInt32LE(at + 20),
    unpacked: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
  }
  return { entry, next }
}

const listEntries = (bytes: Buffer): Map<string, ZipEntry> => {
  const end = findEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  if (count > maxEntries) failUnreadable("too_large", { id: "document_too_many_parts" })
  const entries = new Map<string, ZipEntry>()
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    const { entry, next } = readEntry(bytes, at)
    if (isPathTraversal(entry.name)) failUnreadable("unsafe", { id: "document_path_invalid" })
    entries.set(entry.name, entry)
    at = next
  }
  return entries
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

export interface Zip {
  /** Of all parts. */
  names: readonly string[]
  has(name: string): boolean
  /** @returns undefined if there is no such part */
  read(name: string): Buffer | undefined
  /** A part as UTF-8 text; empty if there is no such part. */
  readText(name: string): string
}

/** Opens a ZIP document. Parts are decompressed on demand, up to `maxUnpackedBytes` in total. */
export const openZip = (bytes: Buffer, maxUnpackedBytes: number): Zip => {
  const entries = listEntries(bytes)
  let remainingBytes = maxUnpackedBytes
  const failAsBomb = () => failUnreadable("unsafe", { id: "document_too_large_unpacked" })

  const packedBytes = ({ offset, packed, encrypted }: ZipEntry): Buffer => {
    if (encrypted) failPasswordProtected()
    if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== localSignature) {
      failUnreadable("damaged", { id: "document_part_missing" })
    }
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
    return bytes.subarray(start, start + packed)
  }

  const unpack = (entry: ZipEntry): Buffer => {
    const data = packedBytes(entry)
    if (entry.method === 0) return data
    if (entry.method !== 8)
      failUnreadable("unsupported", { id: "document_compression_unsupported" })
    const limit = Math.min(remainingBytes, Math.max(minUnpackedLimit, data.length * maxRatio))
    try {
      return inflateRawSync(data, { maxOutputLength: limit })
    } catch (error) {
      return isTooLarge(error)
        ? failAsBomb()
        : failUnreadable("damaged", { id: "document_part_damaged" })
    }
  }

  const read = (name: string): Buffer | undefined => {
    const entry = entries.get(name)
    if (!entry) return undefined
    const data = unpack(entry)
    remainingBytes -= data.length
    if (remainingBytes <= 0) failAsBomb()
    return data
  }

  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    read,
    readText: (name) => read(name)?.toString("utf8") ?? "",
  }
}

/** Resolves a relative path inside an archive. */
export const resolveArchivePath = (base: string, target: string): string => {
  if (target.startsWith("/")) return target.slice(1)
  const parts = base.split("/").slice(0, -1)
  for (const part of target.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "." && part !== "") parts.push(part)
  }
  return parts.join("/")
}
