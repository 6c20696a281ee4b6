import type { Pointer } from "./quickjs-exports.ts"

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

/** Into a memory in which nothing stands. */
export const putParts = (heap: Buffer, parts: readonly Part[]): void => {
  for (const { at, bytes } of parts) heap.set(bytes, at)
}

/** Makes these parts all that stands there. */
export const renew = (heap: Buffer, parts: readonly Part[]): void => {
  const kept = new Set(parts.map(({ at }) => at))
  for (let at = 0; at < heap.length; at += blockBytes) {
    if (!kept.has(at) && isUsed(heap, at)) heap.fill(0, at, at + blockBytes)
  }
  putParts(heap, parts)
}
