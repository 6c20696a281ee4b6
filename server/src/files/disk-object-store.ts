import { createReadStream, existsSync, mkdirSync } from "node:fs"
import { copyFile, link, mkdir, open, readdir, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ObjectStore } from "./object-store.ts"
import { syncFolder } from "./sync-folder.ts"
import {
  createObjectReceiver,
  createUploadSpool,
  type ReceivedFile,
  removeFile,
  type UploadSpoolDeps,
} from "./upload-spool.ts"

/**
 * Creates a hard link, so that the original remains until the transaction commits; copies the file
 * where links are not supported.
 */
const copyOrLink = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to)
  } catch (error) {
    if (existsSync(to)) return
    const part = `${to}.part`
    await copyFile(from, part).catch(() => {
      throw error
    })
    const file = await open(part, "r")
    await file.sync()
    await file.close()
    await rename(part, to)
  }
}

/** Object store on the local disk. */
export const createDiskObjectStore = ({ dataDir, background }: UploadSpoolDeps): ObjectStore => {
  const root = join(dataDir, "objects")
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const spool = createUploadSpool({ dataDir, background })
  /** Folders whose directory entry this process has already synced to disk. */
  const synced = new Set<string>()

  const pathOf = (hash: string): string => join(root, hash.slice(0, 2), hash.slice(2, 4), hash)

  const commit = async ({ path: from, hash }: ReceivedFile): Promise<void> => {
    const to = pathOf(hash)
    if (existsSync(to)) return
    const folder = dirname(to)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await copyOrLink(from, to)
    await syncFolder(folder)
    for (const path of [folder, dirname(folder)]) {
      if (synced.has(path)) continue
      await syncFolder(dirname(path))
      synced.add(path)
    }
  }

  return {
    ...spool,
    ...createObjectReceiver(spool, { prepare: async () => {}, commit }),
    maxConcurrentCommits: 1,

    localCopy: async (hash) =>
      existsSync(pathOf(hash)) ? { path: pathOf(hash), release: async () => {} } : null,

    read: async (hash, range) =>
      existsSync(pathOf(hash)) ? createReadStream(pathOf(hash), range) : null,

    remove: (hash) => removeFile(pathOf(hash)),

    async *list() {
      for (const path of await readdir(root, { recursive: true })) {
        const name = path.split("/").at(-1) ?? ""
        if (name.length === 64) yield name
      }
    },

    close: async () => {},
  }
}
