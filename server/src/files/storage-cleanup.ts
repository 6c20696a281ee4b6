import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Files } from "./files.ts"
import type { ObjectStore } from "./object-store.ts"
import type { ResumableUploads } from "./resumable-uploads.ts"

const sweepIntervalMs = 3_600_000

interface Deps {
  background: BackgroundTasks
  files: Files
  objects: ObjectStore
  resumable: ResumableUploads
  /** True when no other process uses the same data folder. */
  isSoleProcess: boolean
  /** Whether files may be removed because of their age. */
  isClockTrusted: () => boolean
}

/** Removes what crashes and abandoned uploads leave behind, at startup and every hour. */
export const startStorageCleanup = (deps: Deps): void => {
  const { background, files, objects, resumable, isSoleProcess, isClockTrusted } = deps
  const { every, runInBackground } = background
  /** Runs the second step even if the first fails. */
  const sweep = async (all: boolean): Promise<void> => {
    await runInBackground("remove abandoned uploads", () => resumable.sweep(all))
    if (!(all || isClockTrusted())) return
    await runInBackground("remove temporary files", () => objects.sweep(all))
  }
  void runInBackground("remove unused objects", async () => {
    await sweep(isSoleProcess)
    await files.sweep()
  })
  every(sweepIntervalMs, "clean up the storage", () => sweep(false))
}
