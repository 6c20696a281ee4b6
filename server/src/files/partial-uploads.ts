import { mkdirSync } from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { createSpaceCheck } from "../db/disk-space.ts"
import { fail } from "../errors.ts"

const headBytes = 4096

interface AppendOptions {
  from: number
  /** Declared size of the upload, in bytes. */
  totalSize: number
  /**
   * Called when the first 4 KB, or the whole upload, have arrived. May throw to reject the upload.
   */
  onHead(head: Buffer): void
  /** Awaited after each chunk, to yield to other requests. */
  yieldTurn(): Promise<void> | null
}

const failTooLarge = (totalSize: number): never =>
  fail("body_too_large", `The upload exceeds its declared size of ${totalSize} bytes.`)

/** Content of unfinished uploads on the local disk. */
export const createPartialUploads = (dataDir: string) => {
  const folder = join(dataDir, "partial")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (id: string): string => join(folder, id)

  return {
    create: async (id: string): Promise<void> => {
      const file = await open(pathOf(id), "wx", 0o600)
      await file.close()
    },

    /** Bytes received so far; null if this machine has no such upload. */
    size: async (id: string): Promise<number | null> => {
      const found = await stat(pathOf(id)).catch(() => null)
      return found?.size ?? null
    },

    /** Time since the last write, in ms; null if this machine has no such upload. */
    idleMs: async (id: string): Promise<number | null> => {
      const found = await stat(pathOf(id)).catch(() => null)
      return found && Date.now() - found.mtimeMs
    },

    /** Appends a stream at offset `from`. Bytes received before an error are kept. */
    append: async (
      id: string,
      source: Readable,
      { from, totalSize, onHead, yieldTurn }: AppendOptions,
    ): Promise<void> => {
      const file = await open(pathOf(id), "r+")
      const headLength = Math.min(headBytes, totalSize)
      const checkSpace = createSpaceCheck(folder)
      let size = from
      try {
        for await (const chunk of source) {
          if (size + chunk.length > totalSize) failTooLarge(totalSize)
          await checkSpace(size - from)
          await file.write(chunk, 0, chunk.length, size)
          await yieldTurn()
          const before = size
          size += chunk.length
          if (before >= headLength || size < headLength) continue
          const { buffer } = await file.read(Buffer.alloc(headLength), 0, headLength, 0)
          onHead(buffer)
        }
      } finally {
        await file.sync()
        await file.close()
      }
    },

    pathOf,

    remove: (id: string): Promise<void> => rm(pathOf(id), { force: true }),

    ids: (): Promise<string[]> => readdir(folder),
  }
}

export type PartialUploads = ReturnType<typeof createPartialUploads>
