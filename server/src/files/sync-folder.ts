import { open } from "node:fs/promises"

/** Makes new names in a folder survive a power failure, which syncing the files alone does not. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
