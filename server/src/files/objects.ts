import { createHash, randomUUID } from "node:crypto"
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"

const headBytes = 4096
/** A temp file as old as that belongs to nobody who still lives. */
const staleMs = 24 * 3600 * 1000

/** Bytes that were received whole and lie on the disk for good, but under no name yet. */
export interface Received {
  hash: string
  size: number
  /** Gives them the name of their hash. Synchronous, so that a transaction can hold it. */
  keep(): void
  /** Removes them, unless they were kept. */
  drop(): Promise<void>
}

interface Receiving {
  /** Called once with the first 4 kB, or all of it; may throw to refuse. */
  look(head: Buffer): void
  /** Called with the size so far; may throw to refuse. */
  count(size: number): void
}

const syncFolder = (path: string): void => {
  const folder = openSync(path, "r")
  fsyncSync(folder)
  closeSync(folder)
}

/** Files' bytes on the local disk, each content once, under the SHA-256 of it. */
export const createObjects = (dataDir: string) => {
  const root = join(dataDir, "objects")
  const temp = join(dataDir, "uploads")
  for (const folder of [root, temp]) mkdirSync(folder, { recursive: true, mode: 0o700 })

  const pathOf = (hash: string): string => join(root, hash.slice(0, 2), hash.slice(2, 4), hash)

  const keep = (from: string, hash: string): void => {
    const to = pathOf(hash)
    if (existsSync(to)) return
    const folder = dirname(to)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    renameSync(from, to)
    syncFolder(folder)
    syncFolder(dirname(folder))
    syncFolder(root)
  }

  return {
    /** Streams to the disk while hashing. Nothing stays when it throws. */
    receive: async (source: Readable, { look, count }: Receiving): Promise<Received> => {
      const path = join(temp, randomUUID())
      const file = await open(path, "wx", 0o600)
      const hash = createHash("sha256")
      let head = Buffer.alloc(0)
      let looked = false
      let size = 0
      const lookOnce = (): void => {
        if (looked) return
        looked = true
        look(head)
      }
      try {
        for await (const chunk of source) {
          size += chunk.length
          count(size)
          if (!looked) head = Buffer.concat([head, chunk]).subarray(0, headBytes)
          if (head.length >= headBytes) lookOnce()
          hash.update(chunk)
          await file.write(chunk)
        }
        lookOnce()
        await file.sync()
        await file.close()
      } catch (error) {
        await file.close().catch(() => {})
        await rm(path, { force: true })
        throw error
      }
      const hex = hash.digest("hex")
      return {
        hash: hex,
        size,
        keep: () => keep(path, hex),
        drop: () => rm(path, { force: true }),
      }
    },

    pathOf,

    /** A path for what is needed for a moment; whoever takes it removes it. */
    temporary: (): string => join(temp, randomUUID()),

    /** @param range first and last byte */
    read: (hash: string, range?: { start: number; end: number }): Readable =>
      createReadStream(pathOf(hash), range),

    has: (hash: string): boolean => existsSync(pathOf(hash)),

    remove: (hash: string): void => rmSync(pathOf(hash), { force: true }),

    /** Hashes of all that is kept. */
    list: async (): Promise<string[]> => {
      const entries = await readdir(root, { recursive: true })
      return entries
        .map((path) => path.split("/").at(-1) ?? "")
        .filter((name) => name.length === 64)
    },

    /** Removes what uploads left behind that never came to their end. */
    sweep: async (all: boolean): Promise<void> => {
      for (const name of await readdir(temp)) {
        const path = join(temp, name)
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
        if (all || Date.now() - mtimeMs > staleMs) await rm(path, { force: true })
      }
    },
  }
}

export type Objects = ReturnType<typeof createObjects>
