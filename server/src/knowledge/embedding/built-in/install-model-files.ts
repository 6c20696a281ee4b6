import { rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { UpstreamError } from "@portico/http1"
import { sizeOfFile } from "../../../db/size-of-file.ts"
import { toError } from "../../../errors.ts"
import { hashFile } from "../../../files/object-store.ts"
import { syncFolder } from "../../../files/sync-folder.ts"
import { translatable } from "../../../i18n/message.ts"
import { type DownloadFile, DownloadRejectedError } from "../../../outbound/download-file.ts"
import type { InstallableModel, ModelFile } from "./model-descriptions.ts"

const maxAttempts = 5
/** A busy server may ask for a longer pause. */
const maxPauseMs = 60_000

const isGenuine = async ({ size, sha256 }: ModelFile, path: string): Promise<boolean> =>
  (await sizeOfFile(path)) === size && (await hashFile(path)).hash === sha256

/**
 * Whether a file is the published one.
 * @returns the error if it cannot be read
 */
export const checkModelFile = (file: ModelFile, path: string): Promise<boolean | Error> =>
  isGenuine(file, path).catch(toError)

/** Whether a later attempt may succeed. */
const isTemporary = (error: unknown): boolean =>
  error instanceof UpstreamError ||
  (error instanceof DownloadRejectedError && error.retryAfterMs !== null)

/** In ms, how long the server asks to wait before the next attempt. */
const requestedPauseOf = (error: unknown): number =>
  error instanceof DownloadRejectedError ? Math.min(error.retryAfterMs ?? 0, maxPauseMs) : 0

export const partialPath = (path: string): string => `${path}.part`

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
 * received before a failure is kept, and the download resumed. The folder must exist.
 * @throws what `DownloadFile` throws, or the file system's error
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
      return new DownloadRejectedError(translatable("download_incomplete"))
    } catch (error) {
      if (isTemporary(error)) return error
      throw error
    }
  }

  const downloadPart = async ({ name, size }: ModelFile, part: string): Promise<void> => {
    for (let attempt = 1; (await sizeOfFile(part)) !== size; attempt++) {
      const failure = await downloadMore(urlOf(name), part, size)
      if ((await sizeOfFile(part)) === size) return
      if (attempt === maxAttempts) throw failure
      const pause = Math.max(retryMs * attempt, requestedPauseOf(failure))
      await wait(pause, undefined, { signal })
    }
  }

  const installFile = async (file: ModelFile): Promise<void> => {
    const path = join(folder, file.name)
    // A file that cannot be read is replaced.
    if ((await checkModelFile(file, path)) === true) return
    const part = partialPath(path)
    if ((await sizeOfFile(part)) > file.size) await rm(part)
    await downloadPart(file, part)
    if (!(await isGenuine(file, part))) {
      await rm(part)
      throw new DownloadRejectedError(translatable("download_damaged"))
    }
    await rename(part, path)
  }

  await installFile(model.tokenizer)
  await installFile(model.weights)
  await syncFolder(folder)
}
