import { useEffect, useRef, useState } from "react"
import type { LogLine, RunResult } from "../../../../server/src/functions/run-schema.ts"
import { callRaw } from "../../lib/api.ts"
import { readEvents } from "../../lib/stream.ts"
import { pathOf } from "./functions-api.ts"

/** What a trial tells as it goes. */
type RunEvent =
  | { type: "piece"; piece: Piece }
  | { type: "log"; lines: LogLine[] }
  | { type: "result"; result: RunResult }

type Piece = string | { content?: string | null; sources?: Cited[]; [field: string]: unknown }

interface Cited {
  source: { name: string }
}

export interface Trial {
  output: string
  sources: readonly string[]
  /** Pieces that are no text, as they came. */
  others: readonly string[]
  log: readonly LogLine[]
  result: RunResult | null
}

const nothing: Trial = { output: "", sources: [], others: [], log: [], result: null }

const mostLines = 1000

const withPiece = (trial: Trial, piece: Piece): Trial => {
  if (typeof piece === "string") return { ...trial, output: trial.output + piece }
  const { content, sources, ...rest } = piece
  const others =
    Object.keys(rest).length > 0 ? [...trial.others, JSON.stringify(rest)] : trial.others
  return {
    ...trial,
    output: trial.output + (content ?? ""),
    others: others.slice(-mostLines),
    ...(sources && { sources: sources.map(({ source }) => source.name) }),
  }
}

const after = (trial: Trial, event: RunEvent): Trial => {
  if (event.type === "piece") return withPiece(trial, event.piece)
  if (event.type === "log")
    return { ...trial, log: [...trial.log, ...event.lines].slice(-mostLines) }
  return { ...trial, result: event.result }
}

/** Runs a function as its editor has it, and follows what it says. */
export const useRun = (id: string) => {
  const [trial, setTrial] = useState<Trial | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const latest = useRef<AbortController | null>(null)
  latest.current = running
  useEffect(() => () => latest.current?.abort(), [])

  const start = async (body: object): Promise<void> => {
    const control = new AbortController()
    setRunning(control)
    setTrial(nothing)
    setError(null)
    try {
      const { signal } = control
      const response = await callRaw("POST", pathOf(id, "/run"), { body, signal })
      for await (const event of readEvents<RunEvent>(response)) {
        setTrial((before) => after(before ?? nothing, event))
      }
    } catch (reason) {
      if (!control.signal.aborted) setError(reason)
    } finally {
      setRunning(null)
    }
  }
  return { trial, error, running: running !== null, start, stop: () => running?.abort() }
}
