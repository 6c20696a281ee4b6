import { createHash, randomUUID } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { open, readdir, stat, unlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { createDeadHolderDetector } from "../db/dead-holders.ts"
import { createSpaceCheck } from "../db/disk-space.ts"
import {
  createHeadReader,
  hashFile,
  type ObjectStore,
  type ReceivedObject,
  type ReceiveHooks,
} from "./object-store.ts"

/** How often a process touches its temporary files. */
const touchIntervalMs = 600_000
/**
 * Files untouched for this long belong to a dead process. Less than the hour between two cleanups.
 */
const deadAfterMs = 50 * 60_000
const gapMs = 3 * 3_600_000
/** A file of this age is removed without observing it first. */
const staleMs = 24 * 3_600_000
const probeBytes = 64 * 1024

/** Removes a file if it exists. A single `unlink`; `rm` would stat first. */
export const removeFile = async (path: string): Promise<void> => {
  try {
    await unlink(path)
  } catch (error) {
    if (existsSync(path)) throw error
  }
}

export interface UploadSpoolDeps {
  dataDir: string
  background: BackgroundTasks
}

/** A complete file in the spool, or one given to `receiveFile`. */
export interface ReceivedFile {
  path: string
  hash: string
  size: number
}

/**
 * Temporary files of uploads in progress. Several processes may share the folder: each touches its
 * own files regularly and removes files that no process touches.
 */
export const createUploadSpool = ({ dataDir, background }: UploadSpoolDeps) => {
  const folder = join(dataDir, "uploads")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = randomUUID()
  const isOwn = (name: string): boolean => name.startsWith(owner)
  const temporary = (): string => join(folder, `${owner}.${randomUUID()}`)
  const deadHolders = createDeadHolderDetector({ deadAfterMs, gapMs })

  const touch = async (): Promise<void> => {
    const now = new Date()
    for (const name of (await readdir(folder)).filter(isOwn)) {
      // The upload may have finished since.
      await utimes(join(folder, name), now, now).catch(() => {})
    }
  }
  background.every(touchIntervalMs, "touch temporary files", touch)

  const others = async (): Promise<{ id: string; lease_until: number }[]> => {
    const found: { id: string; lease_until: number }[] = []
    for (const name of await readdir(folder)) {
      const state = isOwn(name) ? null : await stat(join(folder, name)).catch(() => null)
      if (state) found.push({ id: name, lease_until: state.mtimeMs })
    }
    return found
  }

  return {
    temporary,

    /**
     * Streams to a temporary file while hashing, then syncs it. Leaves nothing behind when it
     * throws.
     */
    receive: async (
      source: Readable,
      { onHead, onSize, yieldTurn }: ReceiveHooks,
    ): Promise<ReceivedFile> => {
      const path = temporary()
      const file = await open(path, "wx", 0o600)
      const hash = createHash("sha256")
      const headReader = createHeadReader(onHead)
      const checkSpace = createSpaceCheck(folder)
      let size = 0
      try {
        for await (const chunk of source) {
          await checkSpace(size)
          size += chunk.length
          onSize(size)
          headReader.add(chunk)
          hash.update(chunk)
          await file.write(chunk)
          await yieldTurn?.()
        }
        headReader.end()
        await file.sync()
        await file.close()
      } catch (error) {
        // Whatever failed is thrown below.
        await file.close().catch(() => {})
        await removeFile(path)
        throw error
      }
      return { path, hash: hash.digest("hex"), size }
    },

    /** Writes and removes a small file. @throws the file system's error */
    probe: async (): Promise<void> => {
      const path = temporary()
      await createSpaceCheck(folder)(0)
      try {
        await writeFile(path, Buffer.alloc(probeBytes, 1), { flush: true, mode: 0o600 })
      } finally {
        await removeFile(path)
      }
    },

    /** Removes temporary files of dead processes; with `all`, of every other process. */
    sweep: async (all: boolean): Promise<void> => {
      const found = await others()
      const dead = new Set(deadHolders.observe(found, performance.now()).map(({ id }) => id))
      for (const { id, lease_until: touchedAt } of found) {
        const isOrphaned = all || dead.has(id) || Date.now() - touchedAt > staleMs
        if (isOrphaned) await removeFile(join(folder, id))
      }
    },
  }
}

/** Receives objects into a spool, from which `storage` takes them. */
export const createObjectReceiver = (
  spool: Pick<ReturnType<typeof createUploadSpool>, "receive">,
  storage: Record<"prepare" | "commit", (file: ReceivedFile) => Promise<void>>,
): Pick<ObjectStore, "receive" | "receiveFile"> => {
  const toReceivedObject = (file: ReceivedFile, discard: () => Promise<void>): ReceivedObject => ({
    hash: file.hash,
    size: file.size,
    prepare: () => storage.prepare(file),
    commit: () => storage.commit(file),
    discard,
  })
  return {
    receive: async (source, receiving) => {
      const file = await spool.receive(source, receiving)
      return toReceivedObject(file, () => removeFile(file.path))
    },
    receiveFile: async (path) =>
      toReceivedObject({ path, ...(await hashFile(path)) }, async () => {}),
  }
}
