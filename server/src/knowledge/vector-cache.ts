import { maxPassages } from "../files/index-segment.ts"
import { createDots, grain } from "./dot-kernel.ts"
import { type Coarse, coarseQuery, queryOffset, type Scan } from "./quantization.ts"

const pageBytes = 65_536
const queryBytes = 16_384
/** The query and the kernel's results precede the vectors. */
const firstByte = queryBytes + (maxPassages + 1) * 4

interface Entry {
  at: number
  bytes: number
  width: number
  coarse: Omit<Coarse, "components">
  /** The share of a query's offset in each dot product. */
  offsets: Int32Array
}

/** An LRU cache of int8 vectors in the kernel's memory, limited to `maxBytes`. */
export const createVectorShelf = (room: number) => {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(firstByte / pageBytes) })
  const dots = createDots(memory)
  const entries = new Map<string, Entry>()
  let top = firstByte
  let wasted = 0
  let aimed: { query: Float32Array; factor: number } | null = null

  const drop = (key: string): void => {
    wasted += entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  /** Moves the remaining entries together. */
  const compact = (): void => {
    const bytes = new Uint8Array(memory.buffer)
    top = firstByte
    for (const entry of [...entries.values()].sort((a, z) => a.at - z.at)) {
      bytes.copyWithin(top, entry.at, entry.at + entry.bytes)
      entry.at = top
      top += entry.bytes
    }
    wasted = 0
  }

  const makeRoom = (bytes: number): void => {
    while (top + bytes - firstByte > room && entries.size > 0) {
      const [oldest = ""] = entries.keys()
      if (top + bytes - firstByte - wasted > room) drop(oldest)
      else compact()
    }
    if (wasted > 0 && entries.size === 0) compact()
    const missing = top + bytes - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
  }

  /** The result is overwritten by the next comparison. */
  const compare = ({ at, width, coarse: { count } }: Omit<Entry, "offsets">): Int32Array => {
    dots(0, at, width, count, queryBytes)
    return new Int32Array(memory.buffer, queryBytes, count)
  }

  const put = (key: string, { count, dimensions, factors, components }: Coarse): void => {
    drop(key)
    const width = Math.ceil(dimensions / grain) * grain
    const bytes = count * width
    makeRoom(bytes)
    const target = new Int8Array(memory.buffer, top, bytes)
    if (width === dimensions) target.set(components)
    else {
      target.fill(0)
      for (let at = 0; at < count; at++) {
        target.set(components.subarray(at * dimensions, (at + 1) * dimensions), at * width)
      }
    }
    const entry = { at: top, bytes, width, coarse: { count, dimensions, factors } }
    top += bytes
    aimed = null
    new Int8Array(memory.buffer, 0, width).fill(queryOffset)
    entries.set(key, { ...entry, offsets: compare(entry).slice() })
  }

  /** Copies a query to where the kernel reads it. @returns the factor for its components */
  const aim = (query: Float32Array): number => {
    if (aimed?.query === query) return aimed.factor
    const { factor, components } = coarseQuery(query)
    const target = new Int8Array(memory.buffer, 0, queryBytes)
    target.fill(0)
    target.set(components)
    aimed = { query, factor }
    return factor
  }

  /** Prepares a file's vectors for a scan with `query`; null if they are not cached. */
  const get = (key: string, query: Float32Array): Scan | null => {
    const entry = entries.get(key)
    if (!entry) return null
    entries.delete(key)
    entries.set(key, entry)
    const { count, dimensions, factors } = entry.coarse
    if (dimensions !== query.length || entry.width > queryBytes) return null
    const { offsets } = entry
    return () => {
      const factor = aim(query)
      return { count, dots: compare(entry), offsets, factors, factor }
    }
  }

  return {
    put,
    get,
    drop,
    has: (key: string): boolean => entries.has(key),
    keys: () => entries.keys(),
  }
}
