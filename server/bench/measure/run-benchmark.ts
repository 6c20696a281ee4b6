import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createProcesses, type Processes } from "./processes.ts"

/**
 * Runs a benchmark with a temporary folder. Always stops its processes and removes the folder.
 * @param measure returns whether every limit is met; otherwise the exit code is 1
 */
export const runBenchmark = async (
  measure: (processes: Processes, folder: string) => Promise<boolean>,
): Promise<void> => {
  const processes = createProcesses()
  const folder = mkdtempSync(join(tmpdir(), "portico-bench-"))
  process.on("exit", () => {
    processes.killAll()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => process.exit(130))
  }
  try {
    process.exitCode = (await measure(processes, folder)) ? 0 : 1
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    await processes.stopAll()
  }
}
