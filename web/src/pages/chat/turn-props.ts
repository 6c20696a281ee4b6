import type { Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import type { CollectionSearch } from "./collection-search.ts"

/** Callbacks for a turn; their identity is stable across renders. */
export interface TurnActions {
  nameOf: (model: string | null) => string
  /** Regenerates answers, by default with the same models. */
  regenerate: (messages: readonly Message[], models?: readonly string[]) => void
  continueAnswer: (message: Message) => void
  /** Sends a message again, edited. */
  edit: (message: Message, content: string) => Promise<void>
  /** Stores the user's version of an answer. */
  editAnswer: (message: Message, content: string) => Promise<void>
  /** Whether ratings are recorded. */
  isRatable: boolean
  rate: (message: Message, rating: Message["rating"]) => void
  saveReason: (message: Message, rating: Message["rating"]) => Promise<void>
  showAlternative: (message: Message) => void
  chooseAnswer: (message: Message) => void
  openSource: (messageId: string, number: number) => void
  /** The search for an answer's question. */
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
