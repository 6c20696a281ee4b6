import { mkdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Logger } from "pino"
import { sizeOfFile } from "../../../db/size-of-file.ts"
import { toError } from "../../../errors.ts"
import { type MessageOrText, toText, translatable } from "../../../i18n/message.ts"
import type { DownloadFile } from "../../../outbound/download-file.ts"
import type { ModelInstallationStatus } from "../schema.ts"
import { checkModelFile, installModelFiles, partialPath } from "./install-model-files.ts"
import { createInstallationLock } from "./installation-lock.ts"
import { describeInstallationProblem, errorCodeOf } from "./installation-problem.ts"
import { type InstallableModel, type ModelFile, modelNameOf } from "./model-descriptions.ts"

const refreshLockMs = 3000
const pollLockMs = 500

/** Reason for aborting an installation. */
const removedElsewhere = new Error("Another process has removed the model")

type InstallationState = ModelInstallationStatus["state"]

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
  /** Called when the state has changed. */
  onChange: () => void
}

/** Installs the files of a model in the data folder, and recognizes files that were placed there. */
export const createModelInstallation = (deps: Deps) => {
  const { folder, model, hub } = deps
  const files = [model.tokenizer, model.weights]
  const lock = createInstallationLock(join(folder, "installing.lock"))
  const pathOf = (name: string): string => join(folder, name)
  let state: InstallationState = "verifying"
  let problem: MessageOrText | null = null
  /** Sizes and times of the files that were last verified; a time changes with the permissions. */
  let verifiedVersion: string | null = null
  let verifying: Promise<void> | null = null
  let installing: { abort: AbortController; ended: Promise<boolean> } | null = null

  const setState = (next: InstallationState): void => {
    if (state === next) return
    state = next
    deps.onChange()
  }

  const readVersion = async (): Promise<string> => {
    const found = await Promise.all(files.map(({ name }) => stat(pathOf(name)).catch(() => null)))
    return found.map((file) => (file ? `${file.size} ${file.ctimeMs}` : "")).join()
  }

  const isMissing = async ({ name }: ModelFile): Promise<boolean> =>
    (await sizeOfFile(pathOf(name))) === 0

  /** @returns whether the file can be used */
  const verifyFile = async (file: ModelFile): Promise<boolean> => {
    const path = pathOf(file.name)
    const result = await checkModelFile(file, path)
    if (result === true) return true
    if (result instanceof Error)
      problem = translatable("model_file_unreadable", { path, code: errorCodeOf(result) })
    else if (!(await isMissing(file))) problem = translatable("model_file_damaged", { path })
    return false
  }

  const verify = async (version: string): Promise<void> => {
    setState("verifying")
    let isComplete = true
    for (const file of files) {
      if (!(await verifyFile(file))) isComplete = false
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

  /**
   * Waits while another process installs the model, and takes over from one that has died.
   * @returns false if the other process has ended
   */
  const takeLock = async (signal: AbortSignal): Promise<boolean> => {
    while (!(await lock.take())) {
      await wait(pollLockMs, undefined, { signal })
      if (!(await lock.exists())) return false
    }
    return true
  }

  const fetchFiles = async (abort: AbortController): Promise<void> => {
    const timer = setInterval(async () => {
      if (!(await lock.refresh())) abort.abort(removedElsewhere)
    }, refreshLockMs)
    try {
      await installModelFiles({ ...deps, signal: abort.signal })
    } finally {
      clearInterval(timer)
      await lock.release()
    }
  }

  const removeFiles = async (): Promise<void> => {
    for (const { name } of files) {
      await rm(pathOf(name), { force: true })
      await rm(partialPath(pathOf(name)), { force: true })
    }
  }

  /** Removes what this process wrote after another one had removed the model. */
  const finishRemoval = async ({ reason }: AbortSignal): Promise<void> => {
    if (reason === removedElsewhere && !(await lock.exists())) await removeFiles()
  }

  const reportFailure = (error: unknown): void => {
    problem = describeInstallationProblem(error, { hub, folder })
    const details = toError(error).message
    deps.log.warn(`The embedding model ${modelNameOf(model)}: ${toText(problem)} (${details})`)
  }

  /** @returns whether this process installed the model */
  const run = async (abort: AbortController): Promise<boolean> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (!(await takeLock(abort.signal))) return false
      await fetchFiles(abort)
      return true
    } catch (error) {
      if (abort.signal.aborted) await finishRemoval(abort.signal)
      else reportFailure(error)
      return false
    } finally {
      installing = null
      await refresh()
    }
  }

  return {
    model,
    refresh,
    isInstalled: (): boolean => state === "installed",
    /** Whether it is not known yet if the model is installed. */
    isBeingVerified: (): boolean => state === "verifying",

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
