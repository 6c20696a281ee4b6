import type { Files } from "./files.ts"
import type { Objects } from "./objects.ts"
import type { Resumable } from "./resumable-uploads.ts"

const everyMs = 3_600_000

interface Deps {
  files: Files
  objects: Objects
  resumable: Resumable
  /** True when no other process uses the same data folder. */
  alone: boolean
  report: (error: Error) => void
}

/** Removes what crashes and abandoned uploads leave behind, at startup and every hour. */
export const startSweeping = ({ files, objects, resumable, alone, report }: Deps) => {
  /** Runs both steps even if the first fails; errors are reported, not thrown. */
  const sweep = async (all: boolean): Promise<void> => {
    await resumable.sweep(all).catch(report)
    await objects.sweep(all).catch(report)
  }
  let running: Promise<void> = sweep(alone).then(files.sweep).catch(report)
  const timer = setInterval(() => {
    running = running.then(() => sweep(false))
  }, everyMs).unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await running
    },
  }
}
