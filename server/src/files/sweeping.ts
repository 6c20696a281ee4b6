import type { Files } from "./files.ts"
import type { Resumable } from "./resumable.ts"

const everyMs = 3_600_000

interface Needs {
  files: Files
  resumable: Resumable
  /** True when no other process uses the same folder. */
  alone: boolean
  report: (error: Error) => void
}

/** Clears away what crashes and clients that left for good leave behind. */
export const startSweeping = ({ files, resumable, alone, report }: Needs) => {
  let running: Promise<void> = resumable
    .sweep()
    .then(() => files.sweep(alone))
    .catch(report)
  const timer = setInterval(() => {
    running = running.then(resumable.sweep).catch(report)
  }, everyMs).unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await running
    },
  }
}
