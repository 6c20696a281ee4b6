import { useEffect, useRef, useState } from "react"

/** Runs one task at a time, which the user can stop; leaving the page stops it too. */
export const useStoppableTask = () => {
  const [running, setRunning] = useState<AbortController | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isStopped, setStopped] = useState(false)
  const latest = useRef(running)
  latest.current = running
  useEffect(() => () => latest.current?.abort(), [])

  const start = async (task: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const control = new AbortController()
    setRunning(control)
    setError(null)
    setStopped(false)
    try {
      await task(control.signal)
    } catch (reason) {
      if (control.signal.aborted) setStopped(true)
      else setError(reason)
    } finally {
      setRunning(null)
    }
  }
  return { start, stop: () => running?.abort(), isRunning: running !== null, isStopped, error }
}
