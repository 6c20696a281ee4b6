import type { AuthStore } from "../auth/store.ts"
import type { Bus, Message } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Running } from "../http/in-flight-requests.ts"
import type { NodeExchange } from "../http/request-context.ts"
import { openStream, type StreamEvent, type StreamOptions } from "../http/sse-response.ts"
import type { UserLimits } from "../limits/user-limits.ts"
import { createOpenPages, type OpenPage } from "./open-event-streams.ts"

const aboutModels = new Set<Message["topic"]>(["models", "functions", "groups", "connections"])
/** Connections change in bursts; these are combined into one event. */
const gatherMs = 200

interface Deps {
  bus: Bus
  /** Returns a check for who may read someone else's file or collection. */
  readersOf: (topic: "files" | "collections", id: string) => Promise<(caller: Caller) => boolean>
  /** The roles and groups of active users, by user id. */
  standings: AuthStore["accessByUser"]
  running: Running
  /** Registers a callback for changes of the models that connections offer. */
  onOffers: (listener: () => void) => void
  limits: Pick<UserLimits, "replies">
  streams: StreamOptions
}

const newsFor = (caller: Caller, message: Message): StreamEvent | null => {
  if (message.topic === "chats" && message.user_id === caller.user.id) {
    return { name: "chats", data: JSON.stringify({ id: message.id }) }
  }
  if (message.topic === "user" && message.id === caller.user.id) {
    return { name: "account", data: "{}" }
  }
  return message.topic === "reset" ? { name: "reset", data: "{}" } : null
}

/**
 * Notifies signed-in pages of what has changed, without the new values, so that they can reload it.
 */
export const createNews = (deps: Deps) => {
  const { bus, readersOf, running, onOffers, limits, streams } = deps
  const { replies: unread } = limits
  const pages = createOpenPages(deps)
  const listeners = new Set<() => void>()
  let gathering = false
  const modelsChanged = (): void => {
    if (gathering) return
    gathering = true
    const tell = (): void => {
      gathering = false
      for (const listener of listeners) listener()
    }
    setTimeout(tell, gatherMs).unref()
  }
  onOffers(modelsChanged)
  /** Sent to the owner's pages immediately, to other pages once their access is confirmed. */
  const libraryChanged = async (
    message: Extract<Message, { topic: "files" | "collections" }>,
  ): Promise<void> => {
    const { topic, id, user_id } = message
    const event = { name: topic, data: JSON.stringify({ id }) }
    const others: OpenPage[] = []
    for (const page of pages.all()) {
      if (page.caller.user.id === user_id) page.send(event)
      else others.push(page)
    }
    if (others.length === 0) return
    const reads = await readersOf(topic, id)
    await pages.refresh()
    for (const { caller, send } of others) if (reads(caller)) send(event)
  }

  bus.subscribe((message) => {
    if (aboutModels.has(message.topic)) modelsChanged()
    if (message.topic === "files" || message.topic === "collections") {
      libraryChanged(message).catch(() => {})
    }
  })

  /** Resolves when the page has disconnected or was cut off. */
  return async (exchange: NodeExchange, caller: Caller): Promise<void> => {
    const stream = openStream({ exchange, caller, running, unread, ...streams })
    const models = (): void => stream.send({ name: "models", data: "{}" })
    listeners.add(models)
    const leave = pages.add({ caller, send: stream.send })
    const unsubscribe = bus.subscribe((message) => {
      const event = newsFor(caller, message)
      if (event) stream.send(event)
    })
    stream.send({ name: "ready", data: "{}" })
    await stream.closed
    listeners.delete(models)
    leave()
    unsubscribe()
  }
}

export type News = ReturnType<typeof createNews>
