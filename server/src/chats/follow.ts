import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { NodeExchange } from "../http/exchange.ts"
import type { Running } from "../http/running.ts"
import type { Answers } from "./answers.ts"
import type { Channels, ChatEvent } from "./channel.ts"
import type { Chats } from "./chats.ts"
import { Message } from "./schema.ts"
import type { SharedView } from "./shared-view.ts"
import { type EventStream, openStream, type StreamOptions } from "./stream.ts"

interface Needs {
  chats: Chats
  answers: Answers
  channels: Channels
  sharedView: SharedView
  running: Running
  bus: Bus
  streams: StreamOptions
}

interface Reader {
  caller: Caller
  chat: { id: string; user_id: string }
  stream: EventStream
}

/** Shows a chat's events to whoever may read it. */
export const createFollow = (needs: Needs) => {
  const { chats, answers, channels, sharedView, running, bus, streams } = needs

  /** What sends events on, in their order; messages as this reader may see them. */
  const showTo = ({ caller, chat, stream }: Reader): ((event: ChatEvent) => void) => {
    const show = ({ seq, name, data }: ChatEvent): void => stream.send({ id: seq, name, data })
    if (caller.user.id === chat.user_id) return show
    let before = Promise.resolve()
    const look = async (event: ChatEvent): Promise<void> => {
      if (event.name !== "message") return show(event)
      const message = Message.parse(JSON.parse(event.data))
      const [seen] = await sharedView.redactMessages(caller, chat.user_id, [message])
      show({ ...event, data: JSON.stringify(seen) })
    }
    return (event) => {
      before = before.then(() => look(event)).catch(() => stream.end())
    }
  }

  /** Everything as it is, then what comes; in between nothing is lost, and told twice at worst. */
  const snapshot = async (
    { caller, chat, stream }: Reader,
    show: (event: ChatEvent) => void,
  ): Promise<void> => {
    const { seq, messages: all } = await answers.stateOf(chat.id)
    const messages = await sharedView.redactMessages(caller, chat.user_id, all)
    stream.send({ id: seq, name: "snapshot", data: JSON.stringify({ messages, seq }) })
    for (const event of channels.of(chat.id).after(seq) ?? []) show(event)
  }

  /**
   * Resolves when the follower has left or was cut off.
   * @param after the number of the last event that the follower knows; 0 for none
   * @throws {Failure} `not_found`
   */
  return async (
    exchange: NodeExchange,
    caller: Caller,
    { id, after }: { id: string; after: number },
  ): Promise<void> => {
    const chat = await chats.readable(caller, id)
    const channel = channels.of(id)
    const busy = (): boolean => answers.running(id)
    const stream = openStream({ exchange, caller, running, busy, ...streams })
    const gone = async (): Promise<void> => {
      const still = await chats.readable(caller, id).catch(() => null)
      if (still) return
      stream.send({ name: "deleted", data: JSON.stringify({ id }) })
      stream.end()
    }
    const unsubscribe = bus.subscribe((message) => {
      if (message.topic === "chats" && message.id === id) void gone()
    })
    const reader = { caller, chat, stream }
    const show = showTo(reader)
    const known = after > 0 ? channel.after(after) : null
    if (known) for (const event of known) show(event)
    else await snapshot(reader, show)
    // Nothing was awaited since the last event shown, so that none is missed.
    const unfollow = channel.follow(show)
    if (known) await answers.stateOf(id).catch(() => stream.end())
    await stream.closed
    unsubscribe()
    unfollow()
  }
}

export type Follow = ReturnType<typeof createFollow>
