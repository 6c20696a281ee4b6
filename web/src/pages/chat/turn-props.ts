import type { Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import type { CollectionSearch } from "./collection-search.ts"
import type { MessageActions } from "./message-actions.ts"

/** What turns can do; its identity is stable across renders. */
export interface TurnActions extends MessageActions {
  /** Shows the error if an action fails. */
  report: (action: Promise<void>) => void
  nameOf: (model: string | null) => string
  /** Whether ratings are recorded. */
  isRatable: boolean
  openSource: (messageId: string, number: number) => void
  /** The search for an answer's question; null if not available. */
  searchOf: (answer: Message) => CollectionSearch | null
}

export interface TurnProps {
  turn: Turn
  /** The name of the person whose messages these are. */
  author: string
  writable: boolean
  /** The message being edited, if it is in this turn. */
  editing: string | null
  onEdit: (id: string | null) => void
  actions: TurnActions
}
