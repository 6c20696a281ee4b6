import type { CompoundStorage } from "../ole/compound-file.ts"
import type { PropertyValues } from "./mapi-properties.ts"

/** Sizes of what precedes the list of properties ([MS-OXMSG] 2.4). */
export const headerSizes = { file: 32, embedded: 24, part: 8 }

const entrySize = 16
/** Types whose values are streams of their own: strings and bytes. */
const streamTypes = new Set([0x001e, 0x001f, 0x0102])

const toHex = (number: number): string => number.toString(16).toUpperCase().padStart(8, "0")

/** Values in a storage of an Outlook message: short ones in a list, long ones in streams. */
export const readStoredValues = (storage: CompoundStorage, headerSize: number): PropertyValues => {
  const list = storage.read("__properties_version1.0") ?? Buffer.alloc(0)
  const shortValueByTag = new Map<number, Buffer>()
  for (let at = headerSize; at + entrySize <= list.length; at += entrySize)
    shortValueByTag.set(list.readUInt32LE(at), list.subarray(at + 8, at + entrySize))
  return (tag) =>
    streamTypes.has(tag & 0xffff)
      ? storage.read(`__substg1.0_${toHex(tag)}`)
      : shortValueByTag.get(tag)
}

/**
 * IDs of named properties in this file, by their long ID (LID, [MS-OXPROPS]). Property sets are not
 * distinguished: the ranges of their long IDs do not overlap.
 */
export const readNamedProperties = (root: CompoundStorage): ReadonlyMap<number, number> => {
  const entries = root.storages
    .find(({ name }) => name === "__nameid_version1.0")
    ?.read("__substg1.0_00030102")
  const idByLongId = new Map<number, number>()
  for (let at = 0; entries && at + 8 <= entries.length; at += 8) {
    const hasStringName = (entries.readUInt16LE(at + 4) & 1) === 1
    if (!hasStringName)
      idByLongId.set(entries.readUInt32LE(at), 0x8000 + entries.readUInt16LE(at + 6))
  }
  return idByLongId
}
