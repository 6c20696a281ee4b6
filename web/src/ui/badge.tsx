import type { ReactNode } from "react"
import { classes } from "./classes.ts"

type Tone = "plain" | "accent" | "ok" | "warn" | "danger"

const tones: Record<Tone, string> = {
  plain: "bg-hover text-text",
  accent: "bg-accent-soft text-accent",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  danger: "bg-danger-soft text-danger",
}

export const Badge = ({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={classes(
      "inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3",
      tones[tone],
    )}
  >
    {children}
  </span>
)

/** A state, as a colored dot and its label. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className="inline-flex items-center gap-1.5 align-bottom whitespace-nowrap">
    <span
      aria-hidden
      className={classes(
        "size-2 shrink-0 rounded-full",
        tone === "ok" && "bg-ok",
        tone === "warn" && "bg-warn",
        tone === "danger" && "bg-danger",
        (tone === "plain" || tone === "accent") && "border border-line-strong",
      )}
    />
    {children}
  </span>
)
