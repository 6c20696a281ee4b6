import { z } from "zod"
import { afterCommit, type Tx } from "../db/database.ts"
import { catchErrors, reportUnhandled } from "../errors.ts"

const Id = z.string()

/** Notification of a change. `reset`: messages may have been missed, so drop all in-memory state. */
export const BusMessage = z.discriminatedUnion("topic", [
  z.object({ topic: z.literal("user"), id: Id }),
  /**
   * A workspace model or its grants changed; any model may have if `id` is null. Older versions send
   * no id.
   */
  z.object({ topic: z.literal("models"), id: Id.nullable().default(null) }),
  /** One of this user's chats changed; all of them if `id` is null. */
  z.object({ topic: z.literal("chats"), user_id: Id, id: Id.nullable() }),
  /** Stops an answer being generated in this chat; all of them if `message_id` is null. */
  z.object({ topic: z.literal("chat_stop"), id: Id, message_id: Id.nullable() }),
  /** A file's processing state changed; or a collection, its files or its grants. */
  z.object({ topic: z.enum(["files", "collections"]), user_id: Id, id: Id }),
  z.object({ topic: z.enum(["groups", "connections", "functions", "settings", "reset"]) }),
])
export type BusMessage = z.output<typeof BusMessage>

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
