import { mkdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Logger } from "pino"
import { storageFailureOf } from "../../../db/outages.ts"
import { toError } from "../../../errors.ts"
import { hashFile } from "../../../files/object-store.ts"
import { type MessageOrText, toText, translatable } from "../../../i18n/message.ts"
import type { DownloadFile } from "../../../outbound/download-file.ts"
import { installModelFiles, partialPath, sizeOfFile } from "./install-model-files.ts"
import { createInstallationLock } from "./installation-lock.ts"
import { type InstallableModel, type ModelFile, modelNameOf } from "./model-descriptions.ts"

const refreshLockMs = 3000

export type InstallationState = "absent" | "installing" | "verifying" | "installed"

export interface InstallationStatus {
  state: InstallationState
  /** Bytes of the files that are on the disk. */
  received: number
  /** Why the last installation failed, or why the files cannot be used. */
  problem: MessageOrText | null
}

interface Deps {
  /** Where the model's files are or are to be. */
  folder: string
  model: InstallableModel
  hub: string
  downloadFile: DownloadFile
  retryMs: number
  log: Pick<Logger, "warn">
  /** Called when the model was installed or removed. */
  onChange: () => void
}

/** Installs the files of a model in the data folder, and recognizes files that were placed there. */
export const createModelInstallation = (deps: Deps) => {
  const { folder, model, hub } = deps
  const files = [model.tokenizer, model.weights]
  const lock = createInstallationLock(join(folder, "installing.lock"))
  const pathOf = (name: string): string => join(folder, name)
  let state: InstallationState = "absent"
  let problem: MessageOrText | null = null
  /** Sizes and times of the files that were last verified. */
  let verifiedVersion: string | null = null
  let verifying: Promise<void> | null = null
  let installing: { abort: AbortController; ended: Promise<boolean> } | null = null

  const setState = (next: InstallationState): void => {
    const changed = (state === "installed") !== (next === "installed")
    state = next
    if (changed) deps.onChange()
  }

  const readVersion = async (): Promise<string> => {
    const found = await Promise.all(files.map(({ name }) => stat(pathOf(name)).catch(() => null)))
    return found.map((file) => (file ? `${file.size} ${file.mtimeMs}` : "")).join()
  }

  const isMissing = async ({ name }: ModelFile): Promise<boolean> =>
    (await sizeOfFile(pathOf(name))) === 0

  const isGenuine = async ({ name, size, sha256 }: ModelFile): Promise<boolean> =>
    (await sizeOfFile(pathOf(name))) === size && (await hashFile(pathOf(name))).hash === sha256

  const verify = async (version: string): Promise<void> => {
    setState("verifying")
    let isComplete = true
    for (const file of files) {
      if (await isGenuine(file)) continue
      isComplete = false
      if (!(await isMissing(file)))
        problem = translatable("model_file_damaged", { path: pathOf(file.name) })
    }
    if (isComplete) problem = null
    verifiedVersion = version
    setState(isComplete ? "installed" : "absent")
  }

  /** Compares the state with the files, which may have been placed or removed by hand. */
  const refresh = async (): Promise<void> => {
    const version = await readVersion()
    if (version === verifiedVersion && !verifying) return
    verifying ??= verify(version).finally(() => {
      verifying = null
    })
    await verifying
  }

  const describeFailure = (error: unknown): MessageOrText => {
    if (storageFailureOf(error) === "full") return translatable("disk_full")
    const { host } = new URL(hub)
    return translatable("model_download_failed", { host, reason: toError(error).message, folder })
  }

  const fetchFiles = async (abort: AbortController): Promise<void> => {
    const timer = setInterval(async () => {
      if (!(await lock.refresh())) abort.abort()
    }, refreshLockMs)
    try {
      await installModelFiles({ ...deps, signal: abort.signal })
    } finally {
      clearInterval(timer)
      await lock.release()
    }
  }

  /** @returns whether this process installed the model */
  const run = async (abort: AbortController): Promise<boolean> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (!(await lock.take())) return false
      await fetchFiles(abort)
      return true
    } catch (error) {
      if (abort.signal.aborted) return false
      problem = describeFailure(error)
      deps.log.warn(`The embedding model ${modelNameOf(model)}: ${toText(problem)}`)
      return false
    } finally {
      installing = null
      await refresh()
    }
  }

  const removeFiles = async (): Promise<void> => {
    for (const { name } of files) {
      await rm(pathOf(name), { force: true })
      await rm(partialPath(pathOf(name)), { force: true })
    }
  }

  return {
    model,
    refresh,
    isInstalled: (): boolean => state === "installed",

    status: async (): Promise<InstallationStatus> => {
      const sizes = await Promise.all(
        files.map(async ({ name }) => {
          const path = pathOf(name)
          return (await sizeOfFile(path)) || sizeOfFile(partialPath(path))
        }),
      )
      const received = sizes.reduce((sum, size) => sum + size, 0)
      const isInstalling = installing !== null || (await lock.isHeld())
      return { state: isInstalling ? "installing" : state, received, problem }
    },

    /**
     * Starts the installation, unless the model is installed, or this process is installing it.
     * @returns whether this process installed the model, once it has ended; null if not started
     */
    install: async (): Promise<{ ended: Promise<boolean> } | null> => {
      await refresh()
      if (state === "installed" || installing) return null
      problem = null
      const abort = new AbortController()
      installing = { abort, ended: run(abort) }
      return { ended: installing.ended }
    },

    /** Cancels an installation and removes the files. */
    remove: async (): Promise<void> => {
      installing?.abort.abort()
      // Another process may be installing the model.
      await lock.cancel()
      await installing?.ended
      await removeFiles()
      problem = null
      await refresh()
    },

    close: async (): Promise<void> => {
      installing?.abort.abort()
      await installing?.ended
    },
  }
}

export type ModelInstallation = ReturnType<typeof createModelInstallation>
