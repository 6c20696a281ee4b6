/** An event of a chat. `seq` increases with each event, across restarts as well. */
export interface ChatEvent {
  seq: number
  name: "message" | "delta"
  data: string
}

type Follower = (event: ChatEvent) => void

const maxKeptCharacters = 512 * 1024
/** How long a chat's events are kept after the last activity. */
const lingerMs = 60_000

/**
 * The events of a chat, the most recent of which are kept so that a reader can reconnect. Numbering
 * starts at the clock's microseconds, so that a restarted process never reuses a number.
 */
class Channel {
  readonly #onIdle: () => void
  #buffered: ChatEvent[] = []
  #bufferedCharacters = 0
  #subscribers = new Set<Follower>()
  #timer: NodeJS.Timeout | undefined
  /** The number before the oldest event that is kept. */
  #floor = Date.now() * 1000
  last = this.#floor

  constructor(idle: () => void) {
    this.#onIdle = idle
    this.#startIdleTimer()
  }

  get followed(): boolean {
    return this.#subscribers.size > 0
  }

  publish(name: ChatEvent["name"], value: unknown): void {
    this.last++
    const event = { seq: this.last, name, data: JSON.stringify(value) }
    this.#buffered.push(event)
    this.#bufferedCharacters += event.data.length
    while (this.#bufferedCharacters > maxKeptCharacters && this.#buffered.length > 1)
      this.#dropOldest()
    for (const follower of this.#subscribers) follower(event)
    this.#startIdleTimer()
  }

  /** The events after `seq`; null if some are no longer known. */
  after(seq: number): readonly ChatEvent[] | null {
    if (seq < this.#floor || seq > this.last) return null
    return this.#buffered.filter((event) => event.seq > seq)
  }

  follow(follower: Follower): () => void {
    this.#subscribers.add(follower)
    return () => {
      this.#subscribers.delete(follower)
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
      if (!this.followed) this.#onIdle()
    }, lingerMs).unref()
  }
}

export type { Channel }

/** The event logs of all chats with recent activity or readers. */
export const createChannels = () => {
  const channelByChat = new Map<string, Channel>()
  return {
    of: (chatId: string): Channel => {
      const known = channelByChat.get(chatId)
      if (known) return known
      const channel = new Channel(() => void channelByChat.delete(chatId))
      channelByChat.set(chatId, channel)
      return channel
    },
    known: (chatId: string): Channel | undefined => channelByChat.get(chatId),
  }
}

export type Channels = ReturnType<typeof createChannels>
