import type { Pointer } from "./quickjs-exports.ts"

/** A non-empty block of memory. */
interface MemoryBlock {
  at: number
  bytes: Uint8Array
}

/** Snapshot of an idle engine: its memory and the few pointers kept outside of it. */
export interface MemoryImage {
  pages: number
  blocks: readonly MemoryBlock[]
  stack: Pointer
  runtime: Pointer
  context: Pointer
  undefinedValue: Pointer
}

export const pageBytes = 65_536
const blockBytes = 16_384
const zeros = Buffer.alloc(blockBytes)

/** Reads before writing: pages never written to are not committed by the operating system. */
const isUsed = (heap: Buffer, at: number): boolean =>
  heap.compare(zeros, 0, blockBytes, at, at + blockBytes) !== 0

export const readUsedBlocks = (heap: Buffer): MemoryBlock[] => {
  const blocks: MemoryBlock[] = []
  for (let at = 0; at < heap.length; at += blockBytes) {
    if (isUsed(heap, at))
      blocks.push({ at, bytes: Uint8Array.from(heap.subarray(at, at + blockBytes)) })
  }
  return blocks
}

/** Writes blocks to memory that is all zeros. */
export const writeBlocks = (heap: Buffer, blocks: readonly MemoryBlock[]): void => {
  for (const { at, bytes } of blocks) heap.set(bytes, at)
}

/** Restores memory to exactly these blocks. */
export const restoreBlocks = (heap: Buffer, blocks: readonly MemoryBlock[]): void => {
  const imageOffsets = new Set(blocks.map(({ at }) => at))
  for (let at = 0; at < heap.length; at += blockBytes) {
    if (!imageOffsets.has(at) && isUsed(heap, at)) heap.fill(0, at, at + blockBytes)
  }
  writeBlocks(heap, blocks)
}
