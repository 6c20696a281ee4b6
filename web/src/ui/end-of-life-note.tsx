import { CalendarX2 } from "lucide-react"
import { describeEndOfLife, endsSoon } from "../lib/end-of-life.ts"
import { classes } from "./classes.ts"

interface EndOfLifeNoteProps {
  facts: { end_of_life?: string | undefined; successor?: string | undefined }
}

/** When the provider stops offering a model, and what to use instead; nothing if that is unknown. */
export const EndOfLifeNote = ({ facts }: EndOfLifeNoteProps) => {
  const text = describeEndOfLife(facts)
  if (text === undefined) return null
  return (
    <span
      className={classes(
        "flex items-start gap-1 text-xs whitespace-normal",
        endsSoon(facts) ? "text-warn" : "text-muted",
      )}
    >
      <CalendarX2 aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 break-words">{text}</span>
    </span>
  )
}
