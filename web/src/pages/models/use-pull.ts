import { useEffect, useRef, useState } from "react"
import { callRaw } from "../../lib/api.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { readJsonLines } from "../../lib/response-stream.ts"
import { runtimePath } from "./runtime-queries.ts"

/** A progress line of the runtime's pull response. */
export interface PullStep {
  status?: string
  error?: string
  /** Bytes of the layer being downloaded. */
  total?: number
  completed?: number
}

export type PullState =
  | { at: "idle" }
  | { at: "running"; name: string; step: PullStep }
  | { at: "done"; name: string }
  | { at: "failed"; name: string; error: unknown }

/** Pulls models into the runtime, one at a time; leaving the page cancels the pull. */
export const usePull = () => {
  const [state, setState] = useState<PullState>({ at: "idle" })
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])

  /** @returns whether the pull succeeded */
  const pull = async (name: string): Promise<boolean> => {
    const abort = new AbortController()
    control.current = abort
    setState({ at: "running", name, step: {} })
    let isPulled = false
    try {
      const path = await runtimePath("pull")
      const body = { model: name, stream: true }
      const response = await callRaw("POST", path, { body, signal: abort.signal })
      for await (const step of readJsonLines<PullStep>(response)) {
        if (step.error) throw new Error(step.error)
        setState({ at: "running", name, step })
      }
      isPulled = true
      setState({ at: "done", name })
    } catch (error) {
      setState(abort.signal.aborted ? { at: "idle" } : { at: "failed", name, error })
    }
    await invalidateQueries([["runtime"], ["models"]])
    return isPulled
  }
  return { state, pull, cancel: () => control.current?.abort() }
}
