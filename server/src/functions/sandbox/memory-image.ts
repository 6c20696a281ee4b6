import type { Pointer } from "./quickjs-exports.ts"

/** A non-empty block of memory. */
interface Part {
  at: number
  bytes: Uint8Array
}

/** Snapshot of an idle engine: its memory and the few pointers kept outside of it. */
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

/** Reads before writing: pages never written to are not committed by the operating system. */
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

/** Writes blocks to memory that is all zeros. */
export const putParts = (heap: Buffer, parts: readonly Part[]): void => {
  for (const { at, bytes } of parts) heap.set(bytes, at)
}

/** Restores memory to exactly these blocks. */
export const renew = (heap: Buffer, parts: readonly Part[]): void => {
  const kept = new Set(parts.map(({ at }) => at))
  for (let at = 0; at < heap.length; at += blockBytes) {
    if (!kept.has(at) && isUsed(heap, at)) heap.fill(0, at, at + blockBytes)
  }
  putParts(heap, parts)
}
