import type { Bus, Message } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Exchange } from "../http/exchange.ts"
import type { Running } from "../http/running.ts"
import { openStream, type StreamEvent } from "./stream.ts"

const aboutModels = new Set<Message["topic"]>(["models", "groups", "connections"])
/** Connections come and go in bursts; a page asks once for all of them. */
const gatherMs = 200

interface Needs {
  bus: Bus
  running: Running
  /** Calls back when what the connections offer has changed. */
  onOffers: (listener: () => void) => void
}

const newsFor = (caller: Caller, message: Message): StreamEvent | null => {
  if (message.topic === "chats" && message.user_id === caller.user.id) {
    return { name: "chats", data: JSON.stringify({ id: message.id }) }
  }
  if (message.topic === "files" && message.user_id === caller.user.id) {
    return { name: "files", data: JSON.stringify({ id: message.id }) }
  }
  if (message.topic === "collections" && message.user_id === caller.user.id) {
    return { name: "collections", data: JSON.stringify({ id: message.id }) }
  }
  if (message.topic === "user" && message.id === caller.user.id) {
    return { name: "account", data: "{}" }
  }
  return message.topic === "reset" ? { name: "reset", data: "{}" } : null
}

/** Tells a signed-in page what changed, so that it can ask anew: never what it changed to. */
export const createNews = ({ bus, running, onOffers }: Needs) => {
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
  bus.subscribe(({ topic }) => {
    if (aboutModels.has(topic)) modelsChanged()
  })

  /** Resolves when the page has left or was cut off. */
  return async (exchange: Exchange, caller: Caller): Promise<void> => {
    const stream = openStream({ exchange, caller, running })
    const models = (): void => stream.send({ name: "models", data: "{}" })
    listeners.add(models)
    const unsubscribe = bus.subscribe((message) => {
      const event = newsFor(caller, message)
      if (event) stream.send(event)
    })
    stream.send({ name: "ready", data: "{}" })
    await stream.closed
    listeners.delete(models)
    unsubscribe()
  }
}

export type News = ReturnType<typeof createNews>
