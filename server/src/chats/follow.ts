import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Exchange } from "../http/exchange.ts"
import type { Running } from "../http/running.ts"
import type { Answers } from "./answers.ts"
import type { Channels, ChatEvent } from "./channel.ts"
import type { Chats } from "./chats.ts"
import { type EventStream, openStream } from "./stream.ts"

interface Needs {
  chats: Chats
  answers: Answers
  channels: Channels
  running: Running
  bus: Bus
}

/** Shows a chat's events to whoever may read it. */
export const createFollow = ({ chats, answers, channels, running, bus }: Needs) => {
  /** Everything as it is, then what comes; in between nothing is lost, and told twice at worst. */
  const snapshot = async (id: string, stream: EventStream): Promise<void> => {
    const { seq, messages } = await answers.stateOf(id)
    stream.send({ id: seq, name: "snapshot", data: JSON.stringify({ messages, seq }) })
    for (const event of channels.of(id).after(seq) ?? []) show(stream, event)
  }

  const show = (stream: EventStream, { seq, name, data }: ChatEvent): void =>
    stream.send({ id: seq, name, data })

  /**
   * Resolves when the follower has left or was cut off.
   * @param after the number of the last event that the follower knows; 0 for none
   * @throws {Failure} `not_found`
   */
  return async (
    exchange: Exchange,
    caller: Caller,
    { id, after }: { id: string; after: number },
  ): Promise<void> => {
    await chats.readable(caller, id)
    const channel = channels.of(id)
    const stream = openStream({ exchange, caller, running, busy: () => answers.running(id) })
    const gone = async (): Promise<void> => {
      const chat = await chats.readable(caller, id).catch(() => null)
      if (chat) return
      stream.send({ name: "deleted", data: JSON.stringify({ id }) })
      stream.end()
    }
    const unsubscribe = bus.subscribe((message) => {
      if (message.topic === "chats" && message.id === id) void gone()
    })
    const known = after > 0 ? channel.after(after) : null
    if (known) for (const event of known) show(stream, event)
    else await snapshot(id, stream)
    // Nothing was awaited since the last event shown, so that none is missed.
    const unfollow = channel.follow((event) => show(stream, event))
    if (known) await answers.stateOf(id).catch(() => stream.end())
    await stream.closed
    unsubscribe()
    unfollow()
  }
}

export type Follow = ReturnType<typeof createFollow>
