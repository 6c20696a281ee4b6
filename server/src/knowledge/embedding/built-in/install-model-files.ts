import { mkdir, open, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { UpstreamError } from "@portico/http1"
import { hashFile } from "../../../files/object-store.ts"
import type { DownloadFile } from "../../../outbound/download-file.ts"
import type { InstallableModel, ModelFile } from "./model-descriptions.ts"

const maxAttempts = 5

/** The server sent another file than the published one. */
class WrongChecksumError extends Error {
  override name = "WrongChecksumError"
}

/** Size in bytes; 0 if there is no such file. */
export const sizeOfFile = async (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

export const partialPath = (path: string): string => `${path}.part`

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

interface Options {
  folder: string
  model: InstallableModel
  /** URL of the hub, without a slash at the end. */
  hub: string
  downloadFile: DownloadFile
  /** Pause after the first failed attempt, in ms. */
  retryMs: number
  signal: AbortSignal
}

/**
 * Downloads the files of a model that are missing, verifies them, and puts them in place. What was
 * received before a failure is kept, and the download resumed.
 * @throws what `DownloadFile` throws, {WrongChecksumError} or the file system's error
 */
export const installModelFiles = async (options: Options): Promise<void> => {
  const { folder, model, hub, downloadFile, retryMs, signal } = options
  const { repository, revision, paths } = model.source

  const urlOf = (name: string): URL =>
    new URL(`${hub}/${repository}/resolve/${revision}/${paths[name] ?? name}`)

  /** Requests what is missing of a file; the connection may break before it is complete. */
  const downloadMore = async (url: URL, path: string, size: number): Promise<unknown> => {
    try {
      await downloadFile({ url, path, size, signal })
      return new Error("the file is incomplete")
    } catch (error) {
      if (error instanceof UpstreamError) return error
      throw error
    }
  }

  const downloadPart = async ({ name, size }: ModelFile, part: string): Promise<void> => {
    for (let attempt = 1; (await sizeOfFile(part)) !== size; attempt++) {
      const failure = await downloadMore(urlOf(name), part, size)
      if ((await sizeOfFile(part)) === size) return
      if (attempt === maxAttempts) throw failure
      await wait(retryMs * attempt, undefined, { signal })
    }
  }

  const isInPlace = async ({ size, sha256 }: ModelFile, path: string): Promise<boolean> =>
    (await sizeOfFile(path)) === size && (await hashFile(path)).hash === sha256

  const installFile = async (file: ModelFile): Promise<void> => {
    const path = join(folder, file.name)
    if (await isInPlace(file, path)) return
    const part = partialPath(path)
    if ((await sizeOfFile(part)) > file.size) await rm(part)
    await downloadPart(file, part)
    if (!(await isInPlace(file, part))) {
      await rm(part)
      throw new WrongChecksumError("its checksum is wrong")
    }
    await rename(part, path)
  }

  await mkdir(folder, { recursive: true, mode: 0o700 })
  await installFile(model.tokenizer)
  await installFile(model.weights)
  await syncFolder(folder)
}
