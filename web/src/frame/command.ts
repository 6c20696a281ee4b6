import type { LucideIcon } from "lucide-react"

/** An entry of the command palette. */
export interface Command {
  id: string
  label: string
  group: string
  icon: LucideIcon
  /** When it was last changed; shown instead of the group. */
  changedAt?: number
  /** The text that was found in it, with the query to mark. */
  excerpt?: { text: string; query: string }
  run: () => void
}
