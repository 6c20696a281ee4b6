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
