import type { Bus } from "../bus/bus.ts"
import { costs, type FairLoop } from "../concurrency/fair-loop.ts"
import type { UserLimits } from "../concurrency/user-limits.ts"
import type { Caller } from "../http/caller.ts"
import type { NodeExchange } from "../http/exchange.ts"
import type { Running } from "../http/running.ts"
import type { Answers } from "./answers.ts"
import type { Channels, ChatEvent } from "./channel.ts"
import type { Chats } from "./chats.ts"
import { fromFirst, type PageSize } from "./message-pages.ts"
import { Message } from "./schema.ts"
import type { SharedView } from "./shared-view.ts"
import { type EventStream, openStream, type StreamOptions } from "./stream.ts"

interface Deps {
  chats: Chats
  answers: Answers
  channels: Channels
  sharedView: SharedView
  running: Running
  limits: Pick<UserLimits, "replies">
  fairLoop: FairLoop
  bus: Bus
  streams: StreamOptions
}

interface Reader {
  caller: Caller
  chat: { id: string; user_id: string }
  stream: EventStream
}

/** Where a reader resumes. */
export interface ResumePoint {
  /** The number of the last event that the reader knows; 0 for none. */
  seq: number
  /** Set within a snapshot: the position of the last message that the reader received. */
  position: number | null
}

/** One event of a snapshot; the next one is read when the reader has taken it. */
const snapshotPage: PageSize = { messages: 100, bytes: 256 * 1024 }

const eventId = ({ seq, position }: ResumePoint): string =>
  position === null ? String(seq) : `${seq}.${position}`

/** Reads an event ID as `eventId` writes it. Anything else starts from the beginning. */
export const parseEventId = (id: string): ResumePoint => {
  const [seq = 0, position = null] = id.split(".", 2).map(Number)
  const isValid = Number.isSafeInteger(seq) && Number.isSafeInteger(position ?? 0) && seq >= 0
  return isValid ? { seq, position } : { seq: 0, position: null }
}

/** Shows a chat's events to whoever may read it. */
export const createFollow = (deps: Deps) => {
  const { chats, answers, channels, sharedView, running, limits, fairLoop, bus, streams } = deps

  /** What sends events on, in their order; messages as this reader may see them. */
  const showTo = ({ caller, chat, stream }: Reader): ((event: ChatEvent) => void) => {
    const show = ({ seq, name, data }: ChatEvent): void =>
      stream.send({ id: String(seq), name, data })
    if (caller.user.id === chat.user_id) return show
    let before = Promise.resolve()
    const redactAndShow = async (event: ChatEvent): Promise<void> => {
      if (event.name !== "message") return show(event)
      const message = Message.parse(JSON.parse(event.data))
      const [seen] = await sharedView.redactMessages(caller, chat.user_id, [message])
      show({ ...event, data: JSON.stringify(seen) })
    }
    return (event) => {
      before = before.then(() => redactAndShow(event)).catch(() => stream.end())
    }
  }

  /** Sends one page of a snapshot and waits until the reader has taken it. */
  const sendPage = async (
    { caller, chat, stream }: Reader,
    name: "snapshot" | "messages",
    { after, seq: since }: { after: number; seq: number | null },
  ): Promise<{ after: number; seq: number; hasMore: boolean }> => {
    await fairLoop.of(caller.user.id).turn(costs.messages)
    const request = { start: { after }, size: snapshotPage }
    const { page, seq: current } = await answers.page(chat.id, request)
    const { messages: stored, hasMore, to } = page ?? { messages: [], hasMore: false, to: after }
    const messages = await sharedView.redactMessages(caller, chat.user_id, stored)
    const seq = since ?? current
    const id = eventId({ seq, position: hasMore ? to : null })
    stream.send({ id, name, data: JSON.stringify({ messages, seq, has_more: hasMore }) })
    await stream.drained()
    return { after: to, seq, hasMore }
  }

  /**
   * Sends a chat's messages, page by page as the reader takes them: the first page in a `snapshot`,
   * the others in `messages`.
   * @returns the number of the event from which to go on
   */
  const sendSnapshot = async (reader: Reader): Promise<number> => {
    const first = await sendPage(reader, "snapshot", { ...fromFirst, seq: null })
    return first.hasMore ? sendRest(reader, first) : first.seq
  }

  const sendRest = async (
    reader: Reader,
    from: { after: number; seq: number },
  ): Promise<number> => {
    let page = { ...from, hasMore: true }
    while (page.hasMore && reader.stream.isOpen()) page = await sendPage(reader, "messages", page)
    return page.seq
  }

  /** Sends what the reader has missed, and from then on every event. @returns how to stop */
  const catchUpAndFollow = async (reader: Reader, resume: ResumePoint): Promise<() => void> => {
    const channel = channels.of(reader.chat.id)
    const show = showTo(reader)
    // Keeps the channel's events for as long as the snapshot takes.
    const release = channel.follow(() => {})
    let missed = channel.after(resume.seq)
    const { seq, position } = resume
    if (missed && position !== null) {
      missed = channel.after(await sendRest(reader, { seq, after: position }))
    }
    while (!missed && reader.stream.isOpen()) {
      // Null where more happened meanwhile than the channel keeps: the snapshot is out of date.
      missed = channel.after(await sendSnapshot(reader))
    }
    // Nothing is awaited from here on, so that no event is missed.
    for (const event of missed ?? []) show(event)
    const unfollow = channel.follow(show)
    release()
    return unfollow
  }

  /**
   * Resolves when the follower has left or was cut off.
   * @throws {Failure} `not_found`
   */
  return async (
    exchange: NodeExchange,
    caller: Caller,
    { id, resume }: { id: string; resume: ResumePoint },
  ): Promise<void> => {
    const chat = await chats.readable(caller, id)
    const busy = (): boolean => answers.running(id)
    const { replies: unread } = limits
    const stream = openStream({ exchange, caller, running, unread, busy, ...streams })
    const endIfGone = async (): Promise<void> => {
      const still = await chats.readable(caller, id).catch(() => null)
      if (still) return
      stream.send({ name: "deleted", data: JSON.stringify({ id }) })
      stream.end()
    }
    const unsubscribe = bus.subscribe((message) => {
      if (message.topic === "chats" && message.id === id) void endIfGone()
    })
    const unfollow = await catchUpAndFollow({ caller, chat, stream }, resume)
    answers.watchElsewhere(id).catch(stream.end)
    await stream.closed
    unsubscribe()
    unfollow()
  }
}

export type Follow = ReturnType<typeof createFollow>
