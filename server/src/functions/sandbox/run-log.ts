import type { LogLine } from "../run-schema.ts"

/** One more line reports that others were dropped. */
const maxLines = 199
const maxCharacters = 64 * 1024

/** The file name of a function's module in stack traces. */
export const moduleName = "function.ts"

const framePattern = new RegExp(`${moduleName.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`)

/** The first position in a stack trace that lies in the function's own source. */
export const placeOf = (stack: string): { line: number | null; column: number | null } => {
  const [, line, column] = framePattern.exec(stack) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

const levels: readonly LogLine["level"][] = ["debug", "info", "warn", "error"]

/**
 * Parses a log message from the isolate.
 * @throws if it is malformed: a module can tamper with the globals that create it
 */
export const logMessage = (json: string) => {
  const told: Record<string, unknown> = JSON.parse(json)
  const level = levels.find((one) => one === told.level)
  const { text, stack } = told
  if (level && typeof text === "string" && typeof stack === "string") return { level, text, stack }
  throw new Error("malformed log message")
}

/** Collects the log lines of one run, up to a limit. */
export const createGuestLog = (elapsed: () => number) => {
  let lines: LogLine[] = []
  let taken = 0
  let characters = 0
  let full = false

  return {
    /** @returns false if the log is full */
    write: ({ level, text, stack }: ReturnType<typeof logMessage>): boolean => {
      characters += text.length
      if (taken >= maxLines || characters > maxCharacters) {
        full = true
        return false
      }
      taken++
      lines.push({ level, text, line: placeOf(stack).line, at_ms: Math.round(elapsed()) })
      return true
    },
    /** Returns and clears the lines written so far. */
    take: (): LogLine[] => {
      const out = lines
      lines = []
      return out
    },
    /** Adds a notice if lines were dropped. */
    close: (): void => {
      if (!full) return
      const text = "Log limit reached; further lines were dropped"
      lines.push({ level: "warn", text, line: null, at_ms: Math.round(elapsed()) })
    },
  }
}
