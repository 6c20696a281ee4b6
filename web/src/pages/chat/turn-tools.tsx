import type { ReactNode } from "react"

/** What changes the chat: not shown while an answer is being generated. */
export const WhileIdle = ({ children }: { children: ReactNode }) => (
  <span className="while-idle">{children}</span>
)

/** Shown on hover and focus; always visible below the last message and on touch screens. */
export const TurnTools = ({ children }: { children: ReactNode }) => (
  <div className="turn-tools mt-1 -mx-2 flex min-h-8 flex-wrap items-center">{children}</div>
)
