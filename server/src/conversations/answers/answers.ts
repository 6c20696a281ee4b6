import type { Logger } from "pino"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Completions } from "../../completions/completions.ts"
import type { Database } from "../../db/database.ts"
import { createDeadHolderDetector } from "../../db/dead-holders.ts"
import type { FoundPassage } from "../../knowledge/schema.ts"
import type { ChatEventLogs } from "../events/chat-event-log.ts"
import { createDeltaPublisher } from "../events/delta-publisher.ts"
import {
  type PageRequest,
  readMessagePage,
  type StoredMessagePage,
} from "../messages/message-pages.ts"
import type { MessageStore } from "../messages/message-store.ts"
import type { Message, MessageState } from "../schema.ts"
import type { AnswerCallbacks, CollectedAnswer } from "./answer-collector.ts"
import { type AnswerJob, createAnswerGenerator } from "./answer-generator.ts"
import { createAnswerWriter } from "./answer-writer.ts"
import { markCitedSources } from "./mark-cited-sources.ts"
import { parseReportedSources } from "./parse-reported-sources.ts"
import { ChatSource, maxSkippedSources } from "./source-schema.ts"
import { trackGeneration } from "./track-generation.ts"

const sweepIntervalMs = 500
const maxSweepGapMs = 3 * sweepIntervalMs
/** How long a lease may stay unchanged; it is renewed every second. */
const deadAfterMs = 3600
const remotePollMs = 500
/** Maximum difference between the clocks of two processes. */
const clockSkewMs = 5000

interface ActiveAnswer {
  chat: { id: string; user_id: string }
  message: Message
  controller: AbortController
  done: Promise<void>
}

interface Deps {
  background: BackgroundTasks
  db: Database
  completions: Completions
  store: MessageStore
  eventLogs: ChatEventLogs
  bus: Bus
  log: Logger
}

const stateOf = (outcome: CollectedAnswer["outcome"]): MessageState => {
  if (outcome === "ok") return "completed"
  if (outcome === "client_cancelled") return "stopped"
  return outcome === "revoked" || outcome === "shut_down" ? "interrupted" : "failed"
}

const sourceOf = ({ filename, ...found }: FoundPassage): ChatSource =>
  ChatSource.parse({ ...found, name: filename })

const interruptedError = {
  code: "process_ended",
  message: "The gateway stopped while this answer was being written. The partial answer was saved.",
  status: null,
  raw: null,
}

/** Generates answers in chats, whether or not anyone is connected, and stores them as they grow. */
export const createAnswers = (deps: Deps) => {
  const { background, db, completions, store, eventLogs, bus, log } = deps
  const answerWriter = createAnswerWriter({ background, db, store })
  const generateAnswer = createAnswerGenerator({ completions, log })
  const activeById = new Map<string, ActiveAnswer>()
  const listeners = new Set<(job: AnswerJob) => void>()
  const remoteTimers = new Map<string, NodeJS.Timeout>()

  const publishChatChange = async (chat: { id: string; user_id: string }): Promise<void> => {
    const message = { topic: "chats", user_id: chat.user_id, id: chat.id } as const
    await background.runInBackground("announce an answer", () =>
      db.essential.transact((tx) => bus.publish(tx, message)),
    )
  }

  const run = async (job: AnswerJob, signal: AbortSignal): Promise<void> => {
    const { message, chat } = job
    const startedAt = performance.now()
    const generation = trackGeneration(message)
    const deltas = createDeltaPublisher(eventLogs.getOrCreate(message.chat_id), message)
    const onText: AnswerCallbacks["onText"] = ({ content, reasoning }) => {
      message.time_to_first_token_ms ??= Math.round(performance.now() - startedAt)
      generation.recordText({ content, reasoning })
      message.content += content
      message.reasoning += reasoning
      answerWriter.markChanged(message.id)
      deltas.publishSoon()
    }
    const setSources = (sources: Message["sources"], texts: readonly string[]): void => {
      message.sources = sources
      answerWriter.saveSources(message.id, texts)
      eventLogs.getOrCreate(chat.id).publish("message", message)
    }
    const onCitations: AnswerCallbacks["onCitations"] = ({ passages, sources_skipped }) => {
      message.sources_skipped = sources_skipped.slice(0, maxSkippedSources)
      setSources(
        passages.map(sourceOf),
        passages.map(({ text }) => text),
      )
    }
    const onReportedSources: AnswerCallbacks["onReportedSources"] = (sources) => {
      const passages = parseReportedSources(sources)
      // The gateway's own sources take precedence: the citation numbers refer to them.
      if (!passages || message.sources?.length) return
      setSources(
        passages.map((passage) => passage && ChatSource.parse(passage)),
        passages.map((passage) => passage?.text ?? ""),
      )
    }
    const { reportCost } = generation
    const events = { onText, onCitations, onReportedSources, reportCost }
    const collected = await generateAnswer(job, events, signal)
    deltas.publish()
    message.state = stateOf(collected.outcome)
    message.sources = markCitedSources(message)
    message.error = collected.error
    message.finish_reason = collected.finish_reason
    generation.finish(collected)
    await answerWriter.finish(message.id)
    activeById.delete(message.id)
    eventLogs.getOrCreate(chat.id).publish("message", message)
    const { model, state, request_id, duration_ms } = message
    log.info({ request_id, model, user: chat.user_id, state, duration_ms }, "answer")
    for (const listener of listeners) listener(job)
    await publishChatChange(chat)
  }

  const stopLocal = (chatId: string, messageId: string | null): Promise<void>[] =>
    [...activeById.values()]
      .filter(({ chat, message }) => chat.id === chatId && (messageId ?? message.id) === message.id)
      .map(({ controller, done }) => {
        controller.abort()
        return done
      })

  /** Stops the answers that were stopped or deleted while notifications may have been missed. */
  const stopMissed = async (): Promise<void> => {
    const active = [...activeById.values()]
    if (active.length === 0) return
    const unstopped = new Set(await store.listUnstopped(active.map(({ message }) => message)))
    for (const { message, controller } of active) {
      if (!unstopped.has(message.id)) controller.abort()
    }
  }

  /** Answers written by another process are visible only in the database. */
  const readRemote = async (chatId: string, since: number): Promise<void> => {
    const eventLog = eventLogs.get(chatId)
    if (!eventLog?.hasSubscribers) return
    const readAt = Date.now()
    const changed = await store.changedSince(chatId, since - clockSkewMs)
    const remote = changed.filter(({ id }) => !activeById.has(id))
    for (const message of remote) eventLog.publish("message", message)
    if (remote.some(({ state }) => state === "running")) watchRemote(chatId, readAt)
  }

  const watchRemote = (chatId: string, since: number): void => {
    if (remoteTimers.has(chatId)) return
    const timer = setTimeout(async () => {
      remoteTimers.delete(chatId)
      const read = () => readRemote(chatId, since)
      const succeeded = await background.runInBackground("read answers of other processes", read)
      if (!succeeded) watchRemote(chatId, since)
    }, remotePollMs)
    remoteTimers.set(chatId, timer.unref())
  }

  const isMultiProcess = db.dialect === "postgres"

  /**
   * Call before reading messages. An answer may end while its row is being read: the row then lacks
   * the end of the text, and the answer is no longer active.
   * @returns a function that copies a message read since, with the current text of its answer
   */
  const trackReads = (): ((message: Message) => Message) => {
    const activeBefore = new Map(activeById)
    return (message) => {
      const active = activeById.get(message.id) ?? activeBefore.get(message.id)
      return { ...(active?.message ?? message) }
    }
  }

  const interrupt = (dead: Awaited<ReturnType<MessageStore["listRunning"]>>): Promise<void> =>
    // A gateway must be able to start on a full disk.
    db.essential.transact(async (tx) => {
      for (const { chat_id, user_id } of await store.interrupt(tx, interruptedError, dead)) {
        await bus.publish(tx, { topic: "chats", user_id, id: chat_id })
      }
    })

  const deadHolders = createDeadHolderDetector({ deadAfterMs, gapMs: maxSweepGapMs })
  const sweep = async (): Promise<void> => {
    const remoteAnswers = (await store.listRunning()).filter(({ id }) => !activeById.has(id))
    const dead = deadHolders.observe(remoteAnswers, performance.now())
    if (dead.length > 0) await interrupt(dead)
  }
  if (isMultiProcess) background.every(sweepIntervalMs, "find dead answers", sweep)

  bus.subscribe("stop answers", (message) => {
    if (message.topic === "chat_stop") void stopLocal(message.id, message.message_id)
    if (message.topic === "reset") return stopMissed()
    if (message.topic !== "chats" || message.id === null || !isMultiProcess) return undefined
    if (eventLogs.get(message.id)?.hasSubscribers) watchRemote(message.id, Date.now() - clockSkewMs)
    return undefined
  })

  return {
    /**
     * Marks answers that a crashed process left running. Call once before serving. If other
     * processes may be writing, crashed ones are detected a few seconds later instead.
     */
    recover: async (): Promise<void> => {
      if (!isMultiProcess) await interrupt(await store.listRunning())
    },

    /** Starts generating an answer whose row is stored; `ended` is called when it is done. */
    start: (job: AnswerJob, onDone = (): void => {}): void => {
      const { message, chat } = job
      const controller = new AbortController()
      const active: ActiveAnswer = { chat, message, controller, done: Promise.resolve() }
      activeById.set(message.id, active)
      answerWriter.track(message)
      active.done = run(job, controller.signal).finally(onDone)
    },

    /**
     * A page of a chat's messages in their current state, including answers in progress.
     * @returns `seq`, the event number to continue from; `page` is null if there are no messages
     */
    page: async (
      chatId: string,
      request: PageRequest,
    ): Promise<{ page: StoredMessagePage | null; seq: number }> => {
      const { lastSeq } = eventLogs.getOrCreate(chatId)
      const toCurrentState = trackReads()
      const page = await readMessagePage(store, chatId, request)
      if (!page) return { page, seq: lastSeq }
      const isRemote = ({ id, state }: Message) => state === "running" && !activeById.has(id)
      if (isMultiProcess && page.messages.some(isRemote)) {
        watchRemote(chatId, Date.now() - clockSkewMs)
      }
      return { page: { ...page, messages: page.messages.map(toCurrentState) }, seq: lastSeq }
    },

    /** Publishes the progress of answers that another process writes. */
    watchRemoteAnswers: async (chatId: string): Promise<void> => {
      if (!isMultiProcess) return
      const running = await store.listRunningIds(chatId)
      if (running.some((id) => !activeById.has(id))) watchRemote(chatId, Date.now() - clockSkewMs)
    },

    /** Messages changed since then, in their current state. @param sinceMs epoch ms */
    changedSince: async (chatId: string, sinceMs: number): Promise<Message[]> => {
      const toCurrentState = trackReads()
      return (await store.changedSince(chatId, sinceMs - clockSkewMs)).map(toCurrentState)
    },

    /**
     * Stops one answer or all answers of a chat, in any process. Resolves when those of this
     * process have ended.
     */
    stop: async (chatId: string, messageId: string | null): Promise<void> => {
      const stopped = stopLocal(chatId, messageId)
      const message = { topic: "chat_stop", id: chatId, message_id: messageId } as const
      await db.essential.transact(async (tx) => {
        if (isMultiProcess) await store.requestStop(tx, chatId, messageId)
        await bus.publish(tx, message)
      })
      await Promise.all(stopped)
    },

    /** Registers a callback for the end of answers, successful or not. */
    onEnd: (listener: (job: AnswerJob) => void): void => void listeners.add(listener),

    isRunning: (chatId: string): boolean =>
      [...activeById.values()].some(({ chat }) => chat.id === chatId),

    close: async (): Promise<void> => {
      for (const timer of remoteTimers.values()) clearTimeout(timer)
      await answerWriter.close()
    },
  }
}

export type Answers = ReturnType<typeof createAnswers>
