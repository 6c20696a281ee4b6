import { readdirSync, readFileSync } from "node:fs"
import { shippedModelFolder } from "../../src/knowledge/embedding/built-in/model-descriptions.ts"

/** The model's process has a low priority and can take long to start beside other tests. */
export const modelTimeoutMs = 90_000

/** Gateway options that enable the built-in embedding model, which tests disable by default. */
export const embedderOptions = {
  builtInModelFolder: shippedModelFolder,
  builtInModelTimeoutMs: modelTimeoutMs,
  questionTimeoutMs: 60_000,
}

const readIfExists = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // The process has exited in the meantime.
    return ""
  }
}

/** Ids of the child processes that run the built-in model for a gateway. */
export const listModelProcesses = (gateway: number = process.pid): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readIfExists(`/proc/${pid}/cmdline`).includes("built-in/embedding-worker.ts"))
    .filter(
      (pid) => / [RSDTt] (\d+) /.exec(readIfExists(`/proc/${pid}/stat`))?.[1] === `${gateway}`,
    )
    .map(Number)

/** The id of the one such process. Signals to process 0 would reach the tests themselves. */
export const findModelProcess = (): number => {
  const [pid] = listModelProcesses()
  if (pid === undefined) throw new Error("The built-in model is not running")
  return pid
}

/** Whether a process has loaded the model's runtime. */
export const hasLoadedRuntime = (pid: number): boolean =>
  readIfExists(`/proc/${pid}/maps`).includes("onnxruntime")
