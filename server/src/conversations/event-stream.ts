import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Running } from "../http/in-flight-requests.ts"
import type { NodeExchange } from "../http/request-context.ts"
import { type EventStream, openStream, type StreamOptions } from "../http/sse-response.ts"
import { costs, type FairLoop } from "../limits/fair-loop.ts"
import type { UserLimits } from "../limits/user-limits.ts"
import type { Answers } from "./answers.ts"
import type { Chats } from "./conversations.ts"
import type { Channels, ChatEvent } from "./event-log.ts"
import { type PageSize, startOfChat } from "./message-pages.ts"
import { Message } from "./schema.ts"
import type { SharedView } from "./shared-conversation.ts"

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
  /** The number of the last event the reader received; 0 for none. */
  seq: number
  /** Set during a snapshot: the position of the last message the reader received. */
  position: number | null
}

/** One event of a snapshot. The next page is read once the reader has received this one. */
const snapshotPage: PageSize = { messages: 100, bytes: 256 * 1024 }

const eventId = ({ seq, position }: ResumePoint): string =>
  position === null ? String(seq) : `${seq}.${position}`

/** Parses an event id written by `eventId`. Anything else starts from the beginning. */
export const parseEventId = (id: string): ResumePoint => {
  const [, seq = "0", position] = /^(\d{1,16})(?:\.(\d{1,16}))?$/.exec(id) ?? []
  return { seq: Number(seq), position: position === undefined ? null : Number(position) }
}

/** Streams a chat's events to readers with access. */
export const createFollow = (deps: Deps) => {
  const { chats, answers, channels, sharedView, running, limits, fairLoop, bus, streams } = deps

  /** Returns a function that sends events in order, with messages redacted for this reader. */
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

  /** Sends one page of a snapshot and waits until the reader has received it. */
  const sendPage = async (
    { caller, chat, stream }: Reader,
    name: "snapshot" | "messages",
    { after, seq: since }: { after: number; seq: number | null },
  ): Promise<{ after: number; seq: number; hasMore: boolean }> => {
    await fairLoop.of(caller.user.id).turn(costs.messagePage)
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
   * Sends a chat's messages page by page, at the reader's pace: the first page as `snapshot`, the
   * others as `messages`.
   * @returns the event number to continue from
   */
  const sendSnapshot = async (reader: Reader): Promise<number> => {
    const first = await sendPage(reader, "snapshot", { ...startOfChat, seq: null })
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

  /** Sends the messages changed since then. @returns the event number to continue from */
  const sendChanged = async (
    { chat, stream }: Reader,
    sinceMs: number,
    show: (event: ChatEvent) => void,
  ): Promise<number> => {
    const { last: seq } = channels.of(chat.id)
    for (const message of await answers.changedSince(chat.id, sinceMs)) {
      show({ seq, name: "message", data: JSON.stringify(message) })
      await stream.drained()
    }
    return seq
  }

  /** Sends the messages the reader does not have. @returns the events published since */
  const catchUp = async (
    reader: Reader,
    { seq, position }: ResumePoint,
    show: (event: ChatEvent) => void,
  ): Promise<readonly ChatEvent[]> => {
    const channel = channels.of(reader.chat.id)
    let missed = channel.after(seq)
    if (missed && position !== null) {
      missed = channel.after(await sendRest(reader, { seq, after: position }))
    }
    if (missed) return missed
    let sinceMs = Date.now()
    missed = channel.after(await sendSnapshot(reader))
    // Null if more has happened in the meantime than the event log keeps.
    while (!missed && reader.stream.isOpen()) {
      const startedMs = Date.now()
      missed = channel.after(await sendChanged(reader, sinceMs, show))
      sinceMs = startedMs
    }
    return missed ?? []
  }

  /** Sends what the reader has missed, and then every new event. @returns a function that stops */
  const catchUpAndFollow = async (reader: Reader, resume: ResumePoint): Promise<() => void> => {
    const channel = channels.of(reader.chat.id)
    const show = showTo(reader)
    // A subscriber keeps the event log alive while the snapshot is sent.
    const release = channel.follow(() => {})
    try {
      const missed = await catchUp(reader, resume, show)
      // Do not await anything from here on, or events would be missed.
      for (const event of missed) show(event)
      return channel.follow(show)
    } finally {
      release()
    }
  }

  /**
   * Resolves when the reader has disconnected or was cut off.
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
    try {
      const unfollow = await catchUpAndFollow({ caller, chat, stream }, resume)
      answers.watchElsewhere(id).catch(stream.end)
      await stream.closed
      unfollow()
    } finally {
      unsubscribe()
      stream.end()
    }
  }
}

export type Follow = ReturnType<typeof createFollow>
