import type { RunRange } from "./find-passage.ts"

/** Wraps ranges of the runs in `<mark>`. */
export const markRuns = (runs: readonly HTMLElement[], ranges: readonly RunRange[]): void => {
  const rangesByRun = Map.groupBy(ranges, ({ run }) => run)
  for (const [number, own] of rangesByRun) {
    const run = runs[number]
    if (!run) continue
    const text = run.textContent
    const parts: (string | HTMLElement)[] = []
    let at = 0
    for (const { start, end } of own) {
      const mark = document.createElement("mark")
      mark.textContent = text.slice(start, end)
      parts.push(text.slice(at, start), mark)
      at = end
    }
    run.replaceChildren(...parts, text.slice(at))
  }
}
