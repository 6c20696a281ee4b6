import { readdirSync, readFileSync } from "node:fs"
import { builtInModelFolder } from "../../src/knowledge/built-in/model-files.ts"

/** Gateway options that enable the built-in embedding model, which tests disable by default. */
export const withBuiltInModel = { builtInModelFolder }

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // The process has exited in the meantime.
    return ""
  }
}

/** Ids of the child processes that run the built-in model for a gateway. */
export const modelProcesses = (gateway: number = process.pid): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes("built-in/embedding-worker.ts"))
    .filter((pid) => / [RSDTt] (\d+) /.exec(read(`/proc/${pid}/stat`))?.[1] === `${gateway}`)
    .map(Number)

/** The id of the one such process. Signals to process 0 would reach the tests themselves. */
export const findModelProcess = (): number => {
  const [pid] = modelProcesses()
  if (pid === undefined) throw new Error("The built-in model is not running")
  return pid
}

/** Whether a process has loaded the model's runtime. */
export const hasRuntime = (pid: number): boolean =>
  read(`/proc/${pid}/maps`).includes("onnxruntime")
