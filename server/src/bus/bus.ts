import { afterCommit, type Tx } from "../db/database.ts"
import { contain, report } from "../errors.ts"

/** What changed. `reset` says that messages may have been missed: trust nothing kept in memory. */
export type Message =
  | { topic: "user"; id: string }
  | { topic: "groups" }
  | { topic: "connections" }
  /** One workspace model or who may use it changed, or any of them where `id` is null. */
  | { topic: "models"; id: string | null }
  | { topic: "functions" }
  | { topic: "settings" }
  /** One of this user's chats changed, or all of them where `id` is null. */
  | { topic: "chats"; user_id: string; id: string | null }
  /** Answers that run in this chat are to be stopped: one, or all where `message_id` is null. */
  | { topic: "chat_stop"; id: string; message_id: string | null }
  /** A file's state moved on. */
  | { topic: "files"; user_id: string; id: string }
  /** A collection, its files or who may read it changed. */
  | { topic: "collections"; user_id: string; id: string }
  | { topic: "reset" }

/** Tells every process of this gateway that something changed. */
export interface Bus {
  /** Delivered everywhere once `tx` commits, this process included. */
  publish(tx: Tx, message: Message): Promise<void>
  subscribe(listener: (message: Message) => void): () => void
  close(): Promise<void>
}

export const createListeners = () => {
  const listeners = new Set<(message: Message) => void>()
  return {
    deliver: (message: Message): void => {
      for (const listener of listeners) contain(() => listener(message), report)
    },
    subscribe: (listener: (message: Message) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** For one process. */
export const createLocalBus = (): Bus => {
  const { deliver, subscribe } = createListeners()
  return {
    publish: async (tx, message) => afterCommit(tx, () => deliver(message)),
    subscribe,
    close: async () => {},
  }
}
