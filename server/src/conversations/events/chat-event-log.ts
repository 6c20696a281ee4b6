/** An event of a chat. `seq` increases with each event, across restarts as well. */
export interface ChatEvent {
  seq: number
  name: "message" | "delta"
  data: string
}

type EventSubscriber = (event: ChatEvent) => void

const maxBufferedCharacters = 512 * 1024
/** How long a chat's events are kept after the last activity. */
const idleTimeoutMs = 60_000

/**
 * The events of a chat, the most recent of which are kept so that a reader can reconnect. Numbering
 * starts at the clock's microseconds, so that a restarted process never reuses a number.
 */
class ChatEventLog {
  readonly #onIdle: () => void
  #buffered: ChatEvent[] = []
  #bufferedCharacters = 0
  #subscribers = new Set<EventSubscriber>()
  #timer: NodeJS.Timeout | undefined
  /** The number before the oldest event that is kept. */
  #floor = Date.now() * 1000
  lastSeq = this.#floor

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle
    this.#startIdleTimer()
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0
  }

  publish(name: ChatEvent["name"], value: unknown): void {
    this.lastSeq++
    const event = { seq: this.lastSeq, name, data: JSON.stringify(value) }
    this.#buffered.push(event)
    this.#bufferedCharacters += event.data.length
    while (this.#bufferedCharacters > maxBufferedCharacters && this.#buffered.length > 1)
      this.#dropOldest()
    for (const subscriber of this.#subscribers) subscriber(event)
    this.#startIdleTimer()
  }

  /** The events after `seq`; null if some are no longer known. */
  eventsAfter(seq: number): readonly ChatEvent[] | null {
    if (seq < this.#floor || seq > this.lastSeq) return null
    return this.#buffered.filter((event) => event.seq > seq)
  }

  subscribe(subscriber: EventSubscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => {
      this.#subscribers.delete(subscriber)
      this.#startIdleTimer()
    }
  }

  #dropOldest(): void {
    const oldest = this.#buffered.shift()
    if (!oldest) return
    this.#floor = oldest.seq
    this.#bufferedCharacters -= oldest.data.length
  }

  #startIdleTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.hasSubscribers) this.#onIdle()
    }, idleTimeoutMs).unref()
  }
}

export type { ChatEventLog }

/** The event logs of all chats with recent activity or readers. */
export const createChatEventLogs = () => {
  const eventLogByChat = new Map<string, ChatEventLog>()
  return {
    getOrCreate: (chatId: string): ChatEventLog => {
      const existing = eventLogByChat.get(chatId)
      if (existing) return existing
      const eventLog = new ChatEventLog(() => void eventLogByChat.delete(chatId))
      eventLogByChat.set(chatId, eventLog)
      return eventLog
    },
    get: (chatId: string): ChatEventLog | undefined => eventLogByChat.get(chatId),
  }
}

export type ChatEventLogs = ReturnType<typeof createChatEventLogs>
