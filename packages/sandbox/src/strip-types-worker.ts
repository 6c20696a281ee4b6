import { parentPort } from "node:worker_threads"
import type { StripResult } from "./strip-types.ts"
import { lowerThreadPriority } from "./thread-priority.ts"

const niceness = 10
lowerThreadPriority(niceness)
const { default: amaro } = await import("amaro")

/** The parser throws plain objects; their lines count from 1, their columns from 0. */
const toSourceProblem = (error: unknown) => {
  const { message, startLine, startColumn }: Record<string, unknown> = Object(error)
  return {
    message: typeof message === "string" ? message : "The source cannot be parsed",
    line: typeof startLine === "number" ? startLine : null,
    column: typeof startColumn === "number" ? startColumn + 1 : null,
  }
}

const strip = (source: string): StripResult => {
  try {
    return { code: amaro.transformSync(source, { mode: "strip-only" }).code }
  } catch (error) {
    return { problem: toSourceProblem(error) }
  }
}

parentPort?.on("message", (source: unknown) => parentPort?.postMessage(strip(String(source))))
