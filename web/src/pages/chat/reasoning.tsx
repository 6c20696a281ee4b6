import { ChevronRight } from "lucide-react"
import { useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { formatNumber } from "../../lib/format.ts"
import { AnswerText } from "./answer-text.tsx"

/** "4 s" */
const formatSeconds = (ms: number): string => `${formatNumber(Math.floor(ms / 1000))} s`

/** Milliseconds since the first render, updated every second while `running`. */
const useElapsed = (running: boolean, beforeMs = 0): number => {
  const [startedAt] = useState(() => performance.now() - beforeMs)
  const [now, setNow] = useState(startedAt + beforeMs)
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(performance.now()), 1000)
    return () => clearInterval(timer)
  }, [running])
  return now - startedAt
}

/** Shown until the first text arrives. The seconds are hidden from screen readers. */
export const WaitingForModel = () => {
  const elapsed = useElapsed(true)
  return (
    <p
      className="flex h-6 items-center gap-2 text-sm text-muted"
      role="status"
      aria-label={t("chat.waiting")}
    >
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-muted" />
      {elapsed >= 1000 && (
        <span aria-hidden className="tabular">
          {formatSeconds(elapsed)}
        </span>
      )}
    </p>
  )
}

const ThinkingLabel = ({ thoughtMs }: { thoughtMs: number | null }) => {
  const elapsed = useElapsed(true, thoughtMs ?? 0)
  return (
    <span className="animate-pulse tabular">
      {t("answer.thinking", { time: formatSeconds(elapsed) })}
    </span>
  )
}

const thoughtLabel = (thoughtMs: number | null): string => {
  if (thoughtMs === null) return t("chat.thought")
  if (thoughtMs < 1000) return t("answer.thoughtBriefly")
  return t("answer.thought", { time: formatSeconds(thoughtMs) })
}

/** What the model thought before it answered; folded. */
export const Reasoning = ({ message }: { message: Message }) => {
  const [open, setOpen] = useState(false)
  const isThinking = message.state === "running" && message.content === ""
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group mb-2 text-sm text-muted"
    >
      <summary className="inline-flex list-none items-center gap-1 rounded-sm">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {isThinking ? (
          <ThinkingLabel thoughtMs={message.thinking_ms} />
        ) : (
          <span>{thoughtLabel(message.thinking_ms)}</span>
        )}
      </summary>
      {open && (
        <div className="mt-1 border-l-2 border-line pl-3">
          <AnswerText text={message.reasoning} growing={message.state === "running"} />
        </div>
      )}
    </details>
  )
}
