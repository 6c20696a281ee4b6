import type { AuthStore } from "../../auth/store.ts"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Bus, BusMessage } from "../../bus/bus.ts"
import type { UserLimits } from "../../concurrency/user-limits.ts"
import type { Caller } from "../../http/caller.ts"
import type { InFlightRequests } from "../../http/in-flight-requests.ts"
import type { NodeRequestContext } from "../../http/request-context.ts"
import { openSseStream, type ServerSentEvent, type SseOptions } from "../../http/sse-response.ts"
import { createOpenEventStreams, type OpenEventStream } from "./open-event-streams.ts"

const modelTopics = new Set<BusMessage["topic"]>(["models", "functions", "groups", "connections"])
/** Connections change in bursts; these are combined into one event. */
const batchMs = 200

interface Deps {
  background: BackgroundTasks
  bus: Bus
  /** Returns a check for who may read someone else's file or collection. */
  readersOf: (topic: "files" | "collections", id: string) => Promise<(caller: Caller) => boolean>
  /** The roles and groups of active users, by user id. */
  standings: AuthStore["accessByUser"]
  inFlight: InFlightRequests
  /** Registers a callback for changes of the models that connections offer. */
  onModelsChange: (listener: () => void) => void
  limits: Pick<UserLimits, "replies">
  streams: SseOptions
}

const eventFor = (caller: Caller, message: BusMessage): ServerSentEvent | null => {
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
export const createChangeEventStream = (deps: Deps) => {
  const { background, bus, readersOf, inFlight, onModelsChange, limits, streams } = deps
  const openStreams = createOpenEventStreams(deps)
  let isBatching = false
  const modelsChanged = (): void => {
    if (isBatching) return
    isBatching = true
    const notify = (): void => {
      isBatching = false
      for (const { send } of openStreams.all()) send({ name: "models", data: "{}" })
    }
    setTimeout(notify, batchMs).unref()
  }
  onModelsChange(modelsChanged)
  /** Sent to the owner's pages immediately, to other pages once their access is confirmed. */
  const sendFileChange = async (
    message: Extract<BusMessage, { topic: "files" | "collections" }>,
  ): Promise<void> => {
    const { topic, id, user_id } = message
    const event = { name: topic, data: JSON.stringify({ id }) }
    const others: OpenEventStream[] = []
    for (const openPage of openStreams.all()) {
      if (openPage.caller.user.id === user_id) openPage.send(event)
      else others.push(openPage)
    }
    if (others.length === 0) return
    const mayRead = await readersOf(topic, id)
    await openStreams.refresh()
    for (const { caller, send } of others) if (mayRead(caller)) send(event)
  }

  bus.subscribe("send changes of models and files", (message) => {
    if (modelTopics.has(message.topic)) modelsChanged()
    if (message.topic === "files" || message.topic === "collections") {
      void background.runInBackground("send a change of a file", () => sendFileChange(message))
    }
  })

  /** Resolves when the page has disconnected or was cut off. */
  return async (context: NodeRequestContext, caller: Caller): Promise<void> => {
    const { replies: unread } = limits
    const stream = openSseStream({ context, caller, inFlight, unread, ...streams })
    const unregister = openStreams.add({ caller, send: stream.send })
    const unsubscribe = bus.subscribe("send changes", (message) => {
      const event = eventFor(caller, message)
      if (event) stream.send(event)
    })
    stream.send({ name: "ready", data: "{}" })
    await stream.closed
    unregister()
    unsubscribe()
  }
}

export type ChangeEventStream = ReturnType<typeof createChangeEventStream>
