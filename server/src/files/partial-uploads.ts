import { mkdirSync } from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { createSpaceCheck } from "../db/disk-space.ts"
import { fail } from "../errors.ts"

const headBytes = 4096

interface Appending {
  from: number
  /** Bytes that the upload is to have. */
  whole: number
  /** Called with the first 4 kB, or all of it, once they are there; may throw to refuse. */
  look(head: Buffer): void
  /** Waited for after each piece, where others are to have their turn. */
  turn(): Promise<void> | null
}

const tooMuch = (whole: number): never =>
  fail("body_too_large", `The upload exceeds its declared size of ${whole} bytes.`)

/** Bytes of uploads that are not whole yet, on the local disk. */
export const createPartials = (dataDir: string) => {
  const folder = join(dataDir, "partial")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (id: string): string => join(folder, id)

  return {
    create: async (id: string): Promise<void> => {
      const file = await open(pathOf(id), "wx", 0o600)
      await file.close()
    },

    /** Bytes there are so far; null where there is no such upload on this machine. */
    size: async (id: string): Promise<number | null> => {
      const found = await stat(pathOf(id)).catch(() => null)
      return found?.size ?? null
    },

    /** How long nothing was added to it, in ms; null where there is no such upload on this machine. */
    idleMs: async (id: string): Promise<number | null> => {
      const found = await stat(pathOf(id)).catch(() => null)
      return found && Date.now() - found.mtimeMs
    },

    /** Writes a stream on from `from`; what arrived lies on the disk even when it throws. */
    append: async (
      id: string,
      source: Readable,
      { from, whole, look, turn }: Appending,
    ): Promise<void> => {
      const file = await open(pathOf(id), "r+")
      const headLength = Math.min(headBytes, whole)
      const checkSpace = createSpaceCheck(folder)
      let size = from
      try {
        for await (const chunk of source) {
          if (size + chunk.length > whole) tooMuch(whole)
          await checkSpace(size - from)
          await file.write(chunk, 0, chunk.length, size)
          await turn()
          const before = size
          size += chunk.length
          if (before >= headLength || size < headLength) continue
          const { buffer } = await file.read(Buffer.alloc(headLength), 0, headLength, 0)
          look(buffer)
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

export type Partials = ReturnType<typeof createPartials>
