import { afterCommit, type Tx } from "../db/database.ts"
import { catchErrors, reportUnhandled } from "../errors.ts"

/** Notification of a change. `reset`: messages may have been missed, so drop all in-memory state. */
export type BusMessage =
  | { topic: "user"; id: string }
  | { topic: "groups" }
  | { topic: "connections" }
  /** A workspace model or its grants changed; any model may have if `id` is null. */
  | { topic: "models"; id: string | null }
  | { topic: "functions" }
  | { topic: "settings" }
  /** One of this user's chats changed; all of them if `id` is null. */
  | { topic: "chats"; user_id: string; id: string | null }
  /** Stops an answer being generated in this chat; all of them if `message_id` is null. */
  | { topic: "chat_stop"; id: string; message_id: string | null }
  /** A file's processing state changed. */
  | { topic: "files"; user_id: string; id: string }
  /** A collection, its files or its grants changed. */
  | { topic: "collections"; user_id: string; id: string }
  | { topic: "reset" }

/** Publishes change notifications to every process of this gateway. */
export interface Bus {
  /** Delivers `message` to all processes, including this one, after `tx` commits. */
  publish(tx: Tx, message: BusMessage): Promise<void>
  subscribe(listener: (message: BusMessage) => void): () => void
  close(): Promise<void>
}

export const createTopicListeners = () => {
  const listeners = new Set<(message: BusMessage) => void>()
  return {
    deliver: (message: BusMessage): void => {
      for (const listener of listeners) catchErrors(() => listener(message), reportUnhandled)
    },
    subscribe: (listener: (message: BusMessage) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** In-process bus for SQLite, where only one process exists. */
export const createLocalBus = (): Bus => {
  const { deliver, subscribe } = createTopicListeners()
  return {
    publish: async (tx, message) => afterCommit(tx, () => deliver(message)),
    subscribe,
    close: async () => {},
  }
}
