import { useState } from "react"
import type { LogLine, RunResult } from "../../../../server/src/functions/run-schema.ts"
import { callRaw } from "../../lib/api.ts"
import { readServerSentEvents } from "../../lib/response-stream.ts"
import { useStoppableTask } from "../../lib/use-stoppable-task.ts"

/** Data of a trial run's events by type, as sent by the gateway. */
interface TrialEvents {
  request: { request: object }
  delta: Delta
  log: LogLine
  result: RunResult
}

interface Delta {
  content?: string | null
  reasoning_content?: string | null
  sources?: { source: { name: string } }[]
  [field: string]: unknown
}

export interface Trial {
  reasoning: string
  output: string
  sources: readonly string[]
  /** Non-text output: requests that a filter passes to its model, and tool calls. */
  others: readonly string[]
  log: readonly LogLine[]
  result: RunResult | null
}

const emptyTrial: Trial = {
  reasoning: "",
  output: "",
  sources: [],
  others: [],
  log: [],
  result: null,
}

const maxLines = 1000
/** Delta fields that are not shown as output. */
const ignoredFields = new Set(["role", "finish_reason"])

const appendLimited = <T>(list: readonly T[], one: T): T[] => [...list, one].slice(-maxLines)

const applyDelta = (
  trial: Trial,
  { content, reasoning_content, sources, ...rest }: Delta,
): Trial => {
  const other = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !ignoredFields.has(name)),
  )
  return {
    ...trial,
    output: trial.output + (content ?? ""),
    reasoning: trial.reasoning + (reasoning_content ?? ""),
    others:
      Object.keys(other).length > 0
        ? appendLimited(trial.others, JSON.stringify(other))
        : trial.others,
    ...(sources && { sources: sources.map(({ source }) => source.name) }),
  }
}

/** Not validated: the gateway and this page are built from the same schemas. */
const applyEvent = (trial: Trial, type: string, data: unknown): Trial => {
  switch (type) {
    case "request": {
      const { request } = data as TrialEvents["request"]
      return { ...trial, others: appendLimited(trial.others, JSON.stringify(request, null, 2)) }
    }
    case "delta":
      return applyDelta(trial, data as TrialEvents["delta"])
    case "log":
      return { ...trial, log: appendLimited(trial.log, data as TrialEvents["log"]) }
    case "result":
      return { ...trial, result: data as TrialEvents["result"] }
    default:
      return trial
  }
}

/** Runs the editor's content as a trial and collects its output. */
export const useTrialRun = (id: string) => {
  const [trial, setTrial] = useState<Trial | null>(null)
  const { start, ...task } = useStoppableTask()

  const startTrial = (body: object): Promise<void> =>
    start(async (signal) => {
      setTrial(emptyTrial)
      const path = `/api/v1/functions/id/${encodeURIComponent(id)}/run`
      const response = await callRaw("POST", path, { body, signal })
      for await (const { type, data } of readServerSentEvents(response)) {
        const value: unknown = JSON.parse(data)
        setTrial((before) => applyEvent(before ?? emptyTrial, type, value))
      }
    })
  return { trial, start: startTrial, ...task }
}
