import type { LogLine } from "../run-schema.ts"

/** And one more, which says that there were others. */
const maxLines = 199
const maxCharacters = 64 * 1024

/** The file name that an author's module has in stacks. */
export const moduleName = "function.ts"

const framePattern = new RegExp(`${moduleName.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`)

/** The first place of the author's own source in a stack. */
export const placeOf = (stack: string): { line: number | null; column: number | null } => {
  const [, line, column] = framePattern.exec(stack) ?? []
  return { line: line ? Number(line) : null, column: column ? Number(column) : null }
}

const levels: readonly LogLine["level"][] = ["debug", "info", "warn", "error"]

/** What a guest wants to log. @throws where it is malformed: a module can poison what makes it */
export const logMessage = (json: string) => {
  const told: Record<string, unknown> = JSON.parse(json)
  const level = levels.find((one) => one === told.level)
  const { text, stack } = told
  if (level && typeof text === "string" && typeof stack === "string") return { level, text, stack }
  throw new Error("no line for the log")
}

/** Takes the lines of one run, as many as there is room for. */
export const createGuestLog = (elapsed: () => number) => {
  let lines: LogLine[] = []
  let taken = 0
  let characters = 0
  let full = false

  return {
    /** @returns false when there is no room for more */
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
    /** What was written since this was last asked. */
    take: (): LogLine[] => {
      const out = lines
      lines = []
      return out
    },
    /** Says so if some had no room. */
    close: (): void => {
      if (!full) return
      const text = "More lines were not kept"
      lines.push({ level: "warn", text, line: null, at_ms: Math.round(elapsed()) })
    },
  }
}
