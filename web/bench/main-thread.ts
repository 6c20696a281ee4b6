import { readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** CPU time, in µs. */
  tdur?: number
  args: { name?: string }
}

const task = "ThreadControllerImpl::RunTask"

/** The thread that ran most tasks among the main threads of pages: that of the measured page. */
const mainThreadEvents = (events: readonly TraceEvent[]): TraceEvent[] => {
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const mains = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(threadOf),
  )
  const byThread = Map.groupBy(
    events.filter((event) => mains.has(threadOf(event))),
    threadOf,
  )
  return [...byThread.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
}

/**
 * The longest task of the page's main thread while `during` runs, in ms. A frame waits for the task
 * in progress. CPU time, unlike the time between frames, does not depend on what else the machine
 * does.
 */
export const measureLongestTask = async (
  browser: Browser,
  page: Page,
  during: () => Promise<void>,
): Promise<number> => {
  const path = join(tmpdir(), `portico-trace-${process.pid}.json`)
  await browser.startTracing(page, { path, categories: ["toplevel"] })
  await during()
  await browser.stopTracing()
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse(readFileSync(path, "utf8"))
  rmSync(path)
  const tasks = mainThreadEvents(traceEvents).filter(({ name }) => name === task)
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000))
}
