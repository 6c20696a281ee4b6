import type { Logger } from "pino"
import type { Bus } from "../bus/bus.ts"
import type { Chat } from "../completions/completions.ts"
import type { Database } from "../db/database.ts"
import { createFailureDetector } from "../db/failure-detector.ts"
import type { FoundPassage } from "../knowledge/schema.ts"
import type { Collected } from "./answer-collector.ts"
import { type Assignment, createAsking, type Heard } from "./answer-generation.ts"
import { createJournal } from "./answer-writer.ts"
import { markCited } from "./cited-sources.ts"
import { createDeltaPublisher } from "./delta-publisher.ts"
import type { Channels } from "./event-log.ts"
import {
  type MessagePage,
  type PageSize,
  type PageStart,
  readMessagePage,
} from "./message-pages.ts"
import type { MessageStore } from "./message-store.ts"
import { readToldSources } from "./reported-sources.ts"
import type { Message, MessageState } from "./schema.ts"
import { maxSkipped, Source } from "./source-schema.ts"

const sweepMs = 500
const gapMs = 3 * sweepMs
/** How long a lease may stay unchanged; it is renewed every second. */
const deadAfterMs = 3600
const remoteMs = 500
/** Maximum difference between the clocks of two processes. */
const clockSkewMs = 5000

interface Live {
  chat: { id: string; user_id: string }
  message: Message
  stop: () => void
  done: Promise<void>
}

interface Deps {
  db: Database
  engine: Chat
  store: MessageStore
  channels: Channels
  bus: Bus
  log: Logger
}

const stateOf = (outcome: Collected["outcome"]): MessageState => {
  if (outcome === "ok") return "completed"
  if (outcome === "client_cancelled") return "stopped"
  return outcome === "revoked" || outcome === "shut_down" ? "interrupted" : "failed"
}

const sourceOf = ({ filename, ...found }: FoundPassage): Source =>
  Source.parse({ ...found, name: filename })

const died = {
  code: "process_ended",
  message: "The gateway stopped while this answer was being written. The partial answer was saved.",
  status: null,
  raw: null,
}

/** Generates answers in chats, whether or not anyone is connected, and stores them as they grow. */
export const createAnswers = (deps: Deps) => {
  const { db, engine, store, channels, bus, log } = deps
  const journal = createJournal({ db, store })
  const collect = createAsking({ engine, log })
  const liveById = new Map<string, Live>()
  const listeners = new Set<(assignment: Assignment) => void>()
  const remoteTimers = new Map<string, NodeJS.Timeout>()

  const tellChange = async (chat: { id: string; user_id: string }): Promise<void> => {
    const message = { topic: "chats", user_id: chat.user_id, id: chat.id } as const
    await db.transact((tx) => bus.publish(tx, message)).catch(() => {})
  }

  const run = async (assignment: Assignment, live: Live): Promise<void> => {
    const { message, chat } = assignment
    const startedAt = performance.now()
    const deltas = createDeltaPublisher(channels.of(message.chat_id), message)
    let stopped = false
    let stopNow: (() => void) | undefined
    live.stop = () => {
      stopped = true
      stopNow?.()
    }
    const grew: Heard["grew"] = ({ content, reasoning }) => {
      message.time_to_first_token_ms ??= Math.round(performance.now() - startedAt)
      message.content += content
      message.reasoning += reasoning
      journal.grew(message.id)
      deltas.publishSoon()
    }
    const rests = (sources: Message["sources"], texts: readonly string[]): void => {
      message.sources = sources
      journal.saveSources(message.id, texts)
      channels.of(chat.id).publish("message", message)
    }
    const cited: Heard["cited"] = ({ passages, sources_skipped }) => {
      message.sources_skipped = sources_skipped.slice(0, maxSkipped)
      rests(
        passages.map(sourceOf),
        passages.map(({ text }) => text),
      )
    }
    const told: Heard["told"] = (sources) => {
      const passages = readToldSources(sources)
      // The gateway's own sources take precedence: the citation numbers refer to them.
      if (!passages || message.sources?.length) return
      rests(
        passages.map((passage) => passage && Source.parse(passage)),
        passages.map((passage) => passage?.text ?? ""),
      )
    }
    const collected = await collect(assignment, { grew, cited, told }, (stop) => {
      stopNow = stop
      if (stopped) stop()
    })
    deltas.publish()
    message.state = stateOf(collected.outcome)
    message.sources = markCited(message)
    message.error = collected.error
    message.finish_reason = collected.finish_reason
    message.tokens_in = collected.tokens?.tokens_in ?? null
    message.tokens_out = collected.tokens?.tokens_out ?? collected.pieces
    message.estimated = collected.tokens === null
    message.duration_ms = Math.round(performance.now() - startedAt)
    await journal.end(message.id)
    liveById.delete(message.id)
    channels.of(chat.id).publish("message", message)
    const { model, state, request_id, duration_ms } = message
    log.info({ request_id, model, user: chat.user_id, state, duration_ms }, "answer")
    for (const listener of listeners) listener(assignment)
    await tellChange(chat)
  }

  const stopHere = (chatId: string, messageId: string | null): Promise<void>[] =>
    [...liveById.values()]
      .filter(({ chat, message }) => chat.id === chatId && (messageId ?? message.id) === message.id)
      .map(({ stop, done }) => {
        stop()
        return done
      })

  /** Answers written by another process are visible only in the database. */
  const readRemote = async (chatId: string, since: number): Promise<void> => {
    const channel = channels.known(chatId)
    if (!channel?.followed) return
    const readAt = Date.now()
    const changed = await store.changedSince(chatId, since - clockSkewMs)
    const remote = changed.filter(({ id }) => !liveById.has(id))
    for (const message of remote) channel.publish("message", message)
    if (remote.some(({ state }) => state === "running")) watchRemote(chatId, readAt)
  }

  const watchRemote = (chatId: string, since: number): void => {
    if (remoteTimers.has(chatId)) return
    const timer = setTimeout(() => {
      remoteTimers.delete(chatId)
      readRemote(chatId, since).catch(() => watchRemote(chatId, since))
    }, remoteMs)
    remoteTimers.set(chatId, timer.unref())
  }

  const severalProcesses = db.dialect === "postgres"

  /** A copy of a stored message with the current text of its answer. */
  const latest = (message: Message): Message => ({
    ...(liveById.get(message.id)?.message ?? message),
  })

  const interrupt = (dead: Awaited<ReturnType<MessageStore["running"]>>): Promise<void> =>
    db.transact(async (tx) => {
      for (const { chat_id, user_id } of await store.interrupt(tx, died, dead)) {
        await bus.publish(tx, { topic: "chats", user_id, id: chat_id })
      }
    })

  const detector = createFailureDetector({ deadAfterMs, gapMs })
  let sweeping = false
  const sweep = async (): Promise<void> => {
    if (sweeping) return
    sweeping = true
    try {
      const elsewhere = (await store.running()).filter(({ id }) => !liveById.has(id))
      const dead = detector.observe(elsewhere, performance.now())
      if (dead.length > 0) await interrupt(dead)
    } finally {
      sweeping = false
    }
  }

  const sweepTimer = severalProcesses
    ? setInterval(() => void sweep().catch(() => {}), sweepMs).unref()
    : undefined

  const unsubscribe = bus.subscribe((message) => {
    if (message.topic === "chat_stop") void stopHere(message.id, message.message_id)
    if (message.topic !== "chats" || message.id === null || !severalProcesses) return
    if (channels.known(message.id)?.followed) watchRemote(message.id, Date.now() - clockSkewMs)
  })

  return {
    /**
     * Marks answers that a crashed process left running. Call once before serving. If other
     * processes may be writing, crashed ones are detected a few seconds later instead.
     */
    recover: async (): Promise<void> => {
      if (!severalProcesses) await interrupt(await store.running())
    },

    /** Starts generating an answer whose row is stored; `ended` is called when it is done. */
    begin: (assignment: Assignment, ended = (): void => {}): void => {
      const { message, chat } = assignment
      const live: Live = { chat, message, stop: () => {}, done: Promise.resolve() }
      liveById.set(message.id, live)
      journal.begin(message)
      live.done = run(assignment, live).finally(ended)
    },

    /**
     * A page of a chat's messages in their current state, including answers in progress.
     * @returns `seq`, the event number to continue from; `page` is null if there are no messages
     */
    page: async (
      chatId: string,
      request: { start: PageStart; size: PageSize },
    ): Promise<{ page: MessagePage | null; seq: number }> => {
      const { last: seq } = channels.of(chatId)
      const page = await readMessagePage(store, chatId, request)
      if (!page) return { page, seq }
      const isElsewhere = ({ id, state }: Message) => state === "running" && !liveById.has(id)
      if (severalProcesses && page.messages.some(isElsewhere)) {
        watchRemote(chatId, Date.now() - clockSkewMs)
      }
      return { page: { ...page, messages: page.messages.map(latest) }, seq }
    },

    /** Publishes the progress of answers that another process writes. */
    watchElsewhere: async (chatId: string): Promise<void> => {
      if (!severalProcesses) return
      const running = await store.runningIn(chatId)
      if (running.some((id) => !liveById.has(id))) watchRemote(chatId, Date.now() - clockSkewMs)
    },

    /** Messages changed since then, in their current state. @param sinceMs epoch ms */
    changedSince: async (chatId: string, sinceMs: number): Promise<Message[]> =>
      (await store.changedSince(chatId, sinceMs - clockSkewMs)).map(latest),

    /**
     * Stops one answer or all answers of a chat, in any process. Resolves when those of this
     * process have ended.
     */
    stop: async (chatId: string, messageId: string | null): Promise<void> => {
      const stopped = stopHere(chatId, messageId)
      const message = { topic: "chat_stop", id: chatId, message_id: messageId } as const
      await db.transact((tx) => bus.publish(tx, message))
      await Promise.all(stopped)
    },

    /** Registers a callback for the end of answers, successful or not. */
    onEnd: (listener: (assignment: Assignment) => void): void => void listeners.add(listener),

    running: (chatId: string): boolean =>
      [...liveById.values()].some(({ chat }) => chat.id === chatId),

    close: async (): Promise<void> => {
      unsubscribe()
      clearInterval(sweepTimer)
      for (const timer of remoteTimers.values()) clearTimeout(timer)
      await journal.close()
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>
