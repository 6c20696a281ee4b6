import type { EditorView } from "@codemirror/view"
import { useEffect, useRef, useState } from "react"
import { ErrorNote } from "../../../ui/error-note.tsx"
import { Skeleton } from "../../../ui/skeleton.tsx"

interface DifferenceViewProps {
  before: string
  after: string
  label: string
}

/** A read-only view of the differences between two sources. */
export const DifferenceView = ({ before, after, label }: DifferenceViewProps) => {
  const container = useRef<HTMLDivElement>(null)
  const [ready, setReady] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let view: EditorView | undefined
    let isUnmounted = false
    const open = async (): Promise<void> => {
      const { createDifferenceView } = await import("./create-difference-view.ts")
      if (isUnmounted || !container.current) return
      view = createDifferenceView({ parent: container.current, before, after, label })
      setReady(true)
    }
    open().catch(setError)
    return () => {
      isUnmounted = true
      view?.destroy()
    }
  }, [before, after, label])
  return (
    <div className="max-h-[60vh] min-h-24 overflow-auto rounded border border-line">
      {error !== null && <ErrorNote error={error} />}
      {!ready && error === null && <Skeleton rows={4} height={24} />}
      <div ref={container} />
    </div>
  )
}
