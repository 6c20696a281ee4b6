import { createHash, randomUUID } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { open, readdir, stat, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { createSpaceCheck } from "../db/disk-space.ts"
import { createLook, type Receiving } from "./objects.ts"

/** A temp file as old as that belongs to nobody who still lives. */
const staleMs = 24 * 3600 * 1000
const probeBytes = 64 * 1024

/** Does nothing where there is none; in one step, where `rm` looks first what it is. */
export const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path)
  } catch (error) {
    if (existsSync(path)) throw error
  }
}

/** Where uploads lie on the local disk until they have a name. */
export const createSpool = (dataDir: string) => {
  const folder = join(dataDir, "uploads")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = (): string => join(folder, randomUUID())

  return {
    temporary,

    /** Streams to a temp file while hashing, and on to the disk itself. Nothing stays when it throws. */
    receive: async (source: Readable, { look, count }: Receiving) => {
      const path = temporary()
      const file = await open(path, "wx", 0o600)
      const hash = createHash("sha256")
      const looking = createLook(look)
      const checkSpace = createSpaceCheck(folder)
      let size = 0
      try {
        for await (const chunk of source) {
          await checkSpace(size)
          size += chunk.length
          count(size)
          looking.add(chunk)
          hash.update(chunk)
          await file.write(chunk)
        }
        looking.end()
        await file.sync()
        await file.close()
      } catch (error) {
        await file.close().catch(() => {})
        await removeFile(path)
        throw error
      }
      return { path, hash: hash.digest("hex"), size }
    },

    /** Writes a little and removes it. @throws what the file system says */
    probe: async (): Promise<void> => {
      const path = temporary()
      await createSpaceCheck(folder)(0)
      try {
        await writeFile(path, Buffer.alloc(probeBytes, 1), { flush: true, mode: 0o600 })
      } finally {
        await removeFile(path)
      }
    },

    /** Removes what uploads left behind that never came to their end. */
    sweep: async (all: boolean): Promise<void> => {
      for (const name of await readdir(folder)) {
        const path = join(folder, name)
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
        if (all || Date.now() - mtimeMs > staleMs) await removeFile(path)
      }
    },
  }
}
