import type { LogLine } from "./worker-protocol.ts"

/** One more line reports that others were dropped. */
const maxLines = 199
const maxCharacters = 64 * 1024

/** The file name of a function's module in stack traces. */
export const moduleName = "function.ts"

const framePattern = new RegExp(`${moduleName.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`)

/** The first position in a stack trace that lies in the function's own source. */
export const findSourcePosition = (
  stack: string,
): { line: number | null; column: number | null } => {
  const [, line, column] = framePattern.exec(stack) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

const levels: readonly LogLine["level"][] = ["debug", "info", "warn", "error"]

/**
 * Parses a log message from the isolate.
 * @throws if it is malformed: a module can tamper with the globals that create it
 */
export const parseLogMessage = (json: string) => {
  const message: Record<string, unknown> = JSON.parse(json)
  const level = levels.find((one) => one === message.level)
  const { text, stack } = message
  if (level && typeof text === "string" && typeof stack === "string") return { level, text, stack }
  throw new Error("malformed log message")
}

/** Collects the log lines of one run, up to a limit. */
export const createRunLog = (elapsed: () => number) => {
  let lines: LogLine[] = []
  let lineCount = 0
  let characters = 0
  let isFull = false

  return {
    /** @returns false if the log is full */
    write: ({ level, text, stack }: ReturnType<typeof parseLogMessage>): boolean => {
      characters += text.length
      if (lineCount >= maxLines || characters > maxCharacters) {
        isFull = true
        return false
      }
      lineCount++
      lines.push({
        level,
        text,
        line: findSourcePosition(stack).line,
        at_ms: Math.round(elapsed()),
      })
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
      if (!isFull) return
      const text = "Log limit reached; further lines were dropped"
      lines.push({ level: "warn", text, line: null, at_ms: Math.round(elapsed()) })
    },
  }
}
