import { z } from "zod"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { createRetryPause } from "../concurrency/retry-pause.ts"
import { afterCommit, type Tx } from "../db/database.ts"

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
  /** A limit changed; any may have if `id` is null. */
  z.object({ topic: z.literal("limits"), id: Id.nullable() }),
  z.object({
    topic: z.enum(["groups", "connections", "functions", "prices", "settings", "reset"]),
  }),
])
export type BusMessage = z.output<typeof BusMessage>

/**
 * May return a promise of what it reads again. If that fails, the listener is sent `reset` until it
 * succeeds: nobody else would tell it that its state is old.
 */
export type BusListener =
  | ((message: BusMessage) => void)
  | ((message: BusMessage) => Promise<void> | undefined)

const minRetryMs = 200
const maxRetryMs = 5000

/** Publishes change notifications to every process of this gateway. */
export interface Bus {
  /** Delivers `message` to all processes, including this one, after `tx` commits. */
  publish(tx: Tx, message: BusMessage): Promise<void>
  /** @param name the background task under which failures of the listener are reported */
  subscribe(name: string, listener: BusListener): () => void
  /** Ends all subscriptions. */
  close(): Promise<void>
}

interface SubscriptionOptions {
  background: BackgroundTasks
  name: string
  listener: BusListener
}

/** Delivers messages to one listener, and `reset` after each failure. */
const createSubscription = ({ background, name, listener }: SubscriptionOptions) => {
  const retryPause = createRetryPause({ minMs: minRetryMs, maxMs: maxRetryMs })
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const retryLater = (): void => {
    if (isClosed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void deliver({ topic: "reset" })
    }, retryPause.next()).unref()
  }

  const callListener = (message: BusMessage): ReturnType<BusListener> => {
    try {
      return listener(message)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  const deliver = async (message: BusMessage): Promise<void> => {
    const reading = isClosed ? undefined : callListener(message)
    // Most listeners read nothing again.
    if (!reading) return
    if (await background.runInBackground(name, () => reading)) retryPause.reset()
    else retryLater()
  }

  return {
    deliver,
    close: (): void => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

export const createTopicListeners = (background: BackgroundTasks) => {
  const subscriptions = new Set<ReturnType<typeof createSubscription>>()
  return {
    deliver: (message: BusMessage): void => {
      for (const subscription of subscriptions) void subscription.deliver(message)
    },
    subscribe: (name: string, listener: BusListener) => {
      const subscription = createSubscription({ background, name, listener })
      subscriptions.add(subscription)
      return () => {
        subscription.close()
        subscriptions.delete(subscription)
      }
    },
    close: (): void => {
      for (const subscription of subscriptions) subscription.close()
    },
  }
}

/** In-process bus for SQLite, where only one process exists. */
export const createLocalBus = (background: BackgroundTasks): Bus => {
  const { deliver, subscribe, close } = createTopicListeners(background)
  return {
    publish: async (tx, message) => afterCommit(tx, () => deliver(message)),
    subscribe,
    close: async () => close(),
  }
}
