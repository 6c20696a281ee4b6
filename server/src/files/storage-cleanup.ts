import type { Files } from "./files.ts"
import type { ObjectStore } from "./object-store.ts"
import type { ResumableUploads } from "./resumable-uploads.ts"

const sweepIntervalMs = 3_600_000

interface Deps {
  files: Files
  objects: ObjectStore
  resumable: ResumableUploads
  /** True when no other process uses the same data folder. */
  isSoleProcess: boolean
  /** Whether files may be removed because of their age. */
  isClockTrusted: () => boolean
  report: (error: Error) => void
}

/** Removes what crashes and abandoned uploads leave behind, at startup and every hour. */
export const startStorageCleanup = (deps: Deps) => {
  const { files, objects, resumable, isSoleProcess, isClockTrusted, report } = deps
  /** Runs both steps even if the first fails; errors are reported, not thrown. */
  const sweep = async (all: boolean): Promise<void> => {
    await resumable.sweep(all).catch(report)
    if (all || isClockTrusted()) await objects.sweep(all).catch(report)
  }
  let currentSweep: Promise<void> = sweep(isSoleProcess).then(files.sweep).catch(report)
  const timer = setInterval(() => {
    currentSweep = currentSweep.then(() => sweep(false))
  }, sweepIntervalMs).unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await currentSweep
    },
  }
}
