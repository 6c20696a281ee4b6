import type { Pointer } from "./engine-exports.ts"

/** A stretch of memory in which something stands. */
interface Part {
  at: number
  bytes: Uint8Array
}

/** All that an engine is when it runs nothing: its memory, and the few pointers that stand outside. */
export interface Image {
  pages: number
  parts: readonly Part[]
  stack: Pointer
  runtime: Pointer
  context: Pointer
  nothing: Pointer
}

export const pageBytes = 65_536
const blockBytes = 16_384
const zeros = Buffer.alloc(blockBytes)

/** Looked at before it is written: memory that was never written to takes none. */
const isUsed = (heap: Buffer, at: number): boolean =>
  heap.compare(zeros, 0, blockBytes, at, at + blockBytes) !== 0

export const partsOf = (heap: Buffer): Part[] => {
  const parts: Part[] = []
  for (let at = 0; at < heap.length; at += blockBytes) {
    if (isUsed(heap, at))
      parts.push({ at, bytes: Uint8Array.from(heap.subarray(at, at + blockBytes)) })
  }
  return parts
}

/** Makes these parts all that stands there. */
export const putParts = (heap: Buffer, parts: readonly Part[]): void => {
  const bytesAt = new Map(parts.map(({ at, bytes }) => [at, bytes]))
  for (let at = 0; at < heap.length; at += blockBytes) {
    const bytes = bytesAt.get(at)
    if (bytes) heap.set(bytes, at)
    else if (isUsed(heap, at)) heap.fill(0, at, at + blockBytes)
  }
}
