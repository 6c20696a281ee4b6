import { componentsPerStep, createDotKernel } from "./dot-kernel.ts"
import { maxPassages } from "./index-segment.ts"
import { type QuantizedVectors, quantizeQuery, queryOffset } from "./quantization.ts"
import type { VectorScan } from "./scan-vectors.ts"

const pageBytes = 65_536
const queryBytes = 16_384
/** The query and the kernel's results precede the vectors. */
const vectorsOffset = queryBytes + (maxPassages + 1) * 4

interface CacheEntry extends Omit<QuantizedVectors, "components"> {
  offset: number
  bytes: number
  width: number
  /** The share of a query's offset in each dot product. */
  offsets: Int32Array
}

/** An LRU cache of int8 vectors in the kernel's memory, limited to `maxBytes`. */
export const createVectorCache = (maxBytes: number) => {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(vectorsOffset / pageBytes) })
  const dots = createDotKernel(memory)
  const entries = new Map<string, CacheEntry>()
  let endOffset = vectorsOffset
  let freedBytes = 0
  let loadedQuery: { query: Float32Array; factor: number } | null = null

  const drop = (key: string): void => {
    freedBytes += entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  /** Moves the remaining entries together. */
  const compact = (): void => {
    const bytes = new Uint8Array(memory.buffer)
    endOffset = vectorsOffset
    for (const entry of [...entries.values()].sort((a, z) => a.offset - z.offset)) {
      bytes.copyWithin(endOffset, entry.offset, entry.offset + entry.bytes)
      entry.offset = endOffset
      endOffset += entry.bytes
    }
    freedBytes = 0
  }

  const ensureSpace = (bytes: number): void => {
    while (endOffset + bytes - vectorsOffset > maxBytes && entries.size > 0) {
      const [oldest = ""] = entries.keys()
      if (endOffset + bytes - vectorsOffset - freedBytes > maxBytes) drop(oldest)
      else compact()
    }
    if (freedBytes > 0 && entries.size === 0) compact()
    const missing = endOffset + bytes - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
  }

  /** The result is overwritten by the next comparison. */
  const compare = ({ offset, width, count }: Omit<CacheEntry, "offsets">): Int32Array => {
    dots(0, offset, width, count, queryBytes)
    return new Int32Array(memory.buffer, queryBytes, count)
  }

  const put = (key: string, { count, dimensions, factors, components }: QuantizedVectors): void => {
    drop(key)
    const width = Math.ceil(dimensions / componentsPerStep) * componentsPerStep
    const bytes = count * width
    ensureSpace(bytes)
    const target = new Int8Array(memory.buffer, endOffset, bytes)
    if (width === dimensions) target.set(components)
    else {
      target.fill(0)
      for (let at = 0; at < count; at++) {
        target.set(components.subarray(at * dimensions, (at + 1) * dimensions), at * width)
      }
    }
    const entry = { offset: endOffset, bytes, width, count, dimensions, factors }
    endOffset += bytes
    loadedQuery = null
    new Int8Array(memory.buffer, 0, width).fill(queryOffset)
    entries.set(key, { ...entry, offsets: compare(entry).slice() })
  }

  /** Copies a query to where the kernel reads it. @returns the factor for its components */
  const loadQuery = (query: Float32Array): number => {
    if (loadedQuery?.query === query) return loadedQuery.factor
    const { factor, components } = quantizeQuery(query)
    const target = new Int8Array(memory.buffer, 0, queryBytes)
    target.fill(0)
    target.set(components)
    loadedQuery = { query, factor }
    return factor
  }

  /** Prepares a file's vectors for a scan with `query`; null if they are not cached. */
  const get = (key: string, query: Float32Array): VectorScan | null => {
    const entry = entries.get(key)
    if (!entry) return null
    entries.delete(key)
    entries.set(key, entry)
    const { count, dimensions, factors, offsets, width } = entry
    if (dimensions !== query.length || width > queryBytes) return null
    return () => {
      const factor = loadQuery(query)
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
