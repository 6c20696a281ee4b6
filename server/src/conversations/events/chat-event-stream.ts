import type { Bus } from "../../bus/bus.ts"
import { type FairEventLoop, turnCosts } from "../../concurrency/fair-event-loop.ts"
import { createMutex } from "../../concurrency/mutex.ts"
import { createSemaphore } from "../../concurrency/semaphore.ts"
import type { UserLimits } from "../../concurrency/user-limits.ts"
import { Failure } from "../../errors.ts"
import { isOwn } from "../../grants/private-access.ts"
import type { Caller } from "../../http/caller.ts"
import type { InFlightRequests } from "../../http/in-flight-requests.ts"
import type { NodeRequestContext } from "../../http/request-context.ts"
import { openSseStream, type SseOptions, type SseStream } from "../../http/sse-response.ts"
import type { Answers } from "../answers/answers.ts"
import type { ChatRedaction } from "../chats/chat-redaction.ts"
import type { Chats } from "../chats/chats.ts"
import { type PageSize, startOfChat } from "../messages/message-pages.ts"
import { Message } from "../schema.ts"
import type { ChatEvent, ChatEventLogs } from "./chat-event-log.ts"

interface Deps {
  chats: Chats
  answers: Answers
  eventLogs: ChatEventLogs
  redaction: ChatRedaction
  inFlight: InFlightRequests
  limits: Pick<UserLimits, "replies">
  fairLoop: FairEventLoop
  bus: Bus
  streams: SseOptions
}

interface StreamReader {
  caller: Caller
  chat: { id: string; user_id: string }
  stream: SseStream
}

/** Where a reader resumes. */
export interface ResumePoint {
  /** The number of the last event the reader received; 0 for none. */
  seq: number
  /** Set during a snapshot: the position of the last message the reader received. */
  position: number | null
}

interface SnapshotStart {
  /** The position of the last message that the reader has. */
  after: number
  /** The event number to continue from after the snapshot; null if it has not begun. */
  seq: number | null
}

/** One event of a snapshot. The next page is read once the reader has received this one. */
const snapshotPage: PageSize = { messages: 100, bytes: 256 * 1024 }

const maxConcurrentPages = 2

const eventId = ({ seq, position }: ResumePoint): string =>
  position === null ? String(seq) : `${seq}.${position}`

/** Parses an event id written by `eventId`. Anything else starts from the beginning. */
export const parseEventId = (id: string): ResumePoint => {
  const [, seq = "0", position] = /^(\d{1,16})(?:\.(\d{1,16}))?$/.exec(id) ?? []
  return { seq: Number(seq), position: position === undefined ? null : Number(position) }
}

const nullIfNotFound = (error: unknown): null => {
  if (error instanceof Failure && error.code === "not_found") return null
  throw error
}

/** Streams a chat's events to readers with access. */
export const createChatEventStream = (deps: Deps) => {
  const { chats, answers, eventLogs, redaction, inFlight, limits, fairLoop, bus, streams } = deps

  /** Returns a function that sends events in order, with messages redacted for this reader. */
  const createSender = ({ caller, chat, stream }: StreamReader): ((event: ChatEvent) => void) => {
    const sendEvent = ({ seq, name, data }: ChatEvent): void =>
      stream.send({ id: String(seq), name, data })
    if (isOwn(chat, caller)) return sendEvent
    const runExclusive = createMutex()
    const redactAndSend = async (event: ChatEvent): Promise<void> => {
      if (event.name !== "message") return sendEvent(event)
      const message = Message.parse(JSON.parse(event.data))
      const [redacted] = await redaction.redactMessages(caller, chat.user_id, [message])
      sendEvent({ ...event, data: JSON.stringify(redacted) })
    }
    return (event) => {
      runExclusive(() => redactAndSend(event)).catch(stream.end)
    }
  }

  /** Few at a time: until a page is written and counted, it is in memory several times. */
  const pages = createSemaphore({ maxConcurrent: maxConcurrentPages, maxConcurrentPerKey: 1 })

  /**
   * Reads and writes one page of a snapshot. The first page, whose event number is not known yet, is
   * a `snapshot`; the others are `messages`.
   */
  const writePage = async (
    { caller, chat, stream }: StreamReader,
    { after, seq: fixedSeq }: SnapshotStart,
  ): Promise<SnapshotStart & { seq: number; hasMore: boolean }> => {
    await fairLoop.of(caller.user.id).turn(turnCosts.messagePage)
    if (!stream.isOpen()) return { after, seq: fixedSeq ?? 0, hasMore: false }
    let release = (): void => {}
    const beforeRead = (bytes: number): void => {
      release = stream.reserve(bytes)
    }
    const request = { start: { after }, size: snapshotPage, beforeRead }
    const { page, seq: current } = await answers.page(chat.id, request).catch((error: unknown) => {
      release()
      throw error
    })
    const { messages: stored, hasMore, to } = page ?? { messages: [], hasMore: false, to: after }
    const messages = await redaction
      .redactMessages(caller, chat.user_id, stored)
      .finally(() => release())
    const name = fixedSeq === null ? "snapshot" : "messages"
    const seq = fixedSeq ?? current
    const id = eventId({ seq, position: hasMore ? to : null })
    stream.send({ id, name, data: JSON.stringify({ messages, seq, has_more: hasMore }) })
    return { after: to, seq, hasMore }
  }

  /** Sends one page and waits until the reader has received it, without holding it meanwhile. */
  const sendPage = async (
    reader: StreamReader,
    start: SnapshotStart,
  ): Promise<SnapshotStart & { seq: number; hasMore: boolean }> => {
    const page = await pages.run({ key: reader.caller.user.id }, () => writePage(reader, start))
    await reader.stream.drained()
    return page
  }

  /**
   * Sends a chat's messages page by page, at the reader's pace.
   * @returns the event number to continue from
   */
  const sendSnapshot = async (reader: StreamReader, start: SnapshotStart): Promise<number> => {
    let page = await sendPage(reader, start)
    while (page.hasMore && reader.stream.isOpen()) page = await sendPage(reader, page)
    return page.seq
  }

  /** Sends the messages changed since then. @returns the event number to continue from */
  const sendChangedMessages = async (
    { chat, stream }: StreamReader,
    sinceMs: number,
    sendEvent: (event: ChatEvent) => void,
  ): Promise<number> => {
    const { lastSeq } = eventLogs.getOrCreate(chat.id)
    for (const message of await answers.changedSince(chat.id, sinceMs)) {
      sendEvent({ seq: lastSeq, name: "message", data: JSON.stringify(message) })
      await stream.drained()
    }
    return lastSeq
  }

  /** Sends the messages the reader does not have. @returns the events published since */
  const catchUp = async (
    reader: StreamReader,
    { seq, position }: ResumePoint,
    sendEvent: (event: ChatEvent) => void,
  ): Promise<readonly ChatEvent[]> => {
    const eventLog = eventLogs.getOrCreate(reader.chat.id)
    let missed = eventLog.eventsAfter(seq)
    if (missed && position !== null) {
      missed = eventLog.eventsAfter(await sendSnapshot(reader, { seq, after: position }))
    }
    if (missed) return missed
    let sinceMs = Date.now()
    missed = eventLog.eventsAfter(await sendSnapshot(reader, { ...startOfChat, seq: null }))
    // Null if more has happened in the meantime than the event log keeps.
    while (!missed && reader.stream.isOpen()) {
      const startedMs = Date.now()
      missed = eventLog.eventsAfter(await sendChangedMessages(reader, sinceMs, sendEvent))
      sinceMs = startedMs
    }
    return missed ?? []
  }

  /** Sends what the reader has missed, and then every new event. @returns a function that stops */
  const catchUpAndSubscribe = async (
    reader: StreamReader,
    resume: ResumePoint,
  ): Promise<() => void> => {
    const eventLog = eventLogs.getOrCreate(reader.chat.id)
    const sendEvent = createSender(reader)
    // A subscriber keeps the event log alive while the snapshot is sent.
    const release = eventLog.subscribe(() => {})
    try {
      const missed = await catchUp(reader, resume, sendEvent)
      // Do not await anything from here on, or events would be missed.
      for (const event of missed) sendEvent(event)
      return eventLog.subscribe(sendEvent)
    } finally {
      release()
    }
  }

  /**
   * Resolves when the reader has disconnected or was cut off.
   * @throws {Failure} `not_found`
   */
  return async (
    context: NodeRequestContext,
    caller: Caller,
    { id, resume }: { id: string; resume: ResumePoint },
  ): Promise<void> => {
    const chat = await chats.getReadable(caller, id)
    const busy = (): boolean => answers.isRunning(id)
    const { replies: unread } = limits
    const stream = openSseStream({ context, caller, inFlight, unread, busy, ...streams })
    const endIfInaccessible = async (): Promise<void> => {
      if (await chats.getReadable(caller, id).catch(nullIfNotFound)) return
      stream.send({ name: "deleted", data: JSON.stringify({ id }) })
      stream.end()
    }
    const unsubscribe = bus.subscribe("end inaccessible event streams", (message) => {
      const mayConcern =
        message.topic === "reset" || (message.topic === "chats" && message.id === id)
      return mayConcern ? endIfInaccessible() : undefined
    })
    try {
      const stop = await catchUpAndSubscribe({ caller, chat, stream }, resume)
      answers.watchRemoteAnswers(id).catch(stream.end)
      await stream.closed
      stop()
    } finally {
      unsubscribe()
      stream.end()
    }
  }
}

export type ChatEventStream = ReturnType<typeof createChatEventStream>
