/** One thing that happened in a chat. `seq` grows from event to event, over restarts too. */
export interface ChatEvent {
  seq: number
  name: "message" | "delta"
  data: string
}

type Follower = (event: ChatEvent) => void

const maxKeptCharacters = 512 * 1024
/** How long a chat's events are kept when nothing happens any more. */
const lingerMs = 60_000

/**
 * A chat's events as they happen, the last of them kept so that a follower can come back. They are
 * numbered from the clock's microseconds on: a process that starts anew never gives a number twice.
 */
class Channel {
  readonly #idle: () => void
  #kept: ChatEvent[] = []
  #keptCharacters = 0
  #followers = new Set<Follower>()
  #timer: NodeJS.Timeout | undefined
  /** The number before the first that is kept. */
  #floor = Date.now() * 1000
  last = this.#floor

  constructor(idle: () => void) {
    this.#idle = idle
    this.#linger()
  }

  get followed(): boolean {
    return this.#followers.size > 0
  }

  publish(name: ChatEvent["name"], value: unknown): void {
    this.last++
    const event = { seq: this.last, name, data: JSON.stringify(value) }
    this.#kept.push(event)
    this.#keptCharacters += event.data.length
    while (this.#keptCharacters > maxKeptCharacters && this.#kept.length > 1) this.#dropOldest()
    for (const follower of this.#followers) follower(event)
    this.#linger()
  }

  /** What came after `seq`; null when that is not known any more. */
  after(seq: number): readonly ChatEvent[] | null {
    if (seq < this.#floor || seq > this.last) return null
    return this.#kept.filter((event) => event.seq > seq)
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
      this.#linger()
    }
  }

  #dropOldest(): void {
    const oldest = this.#kept.shift()
    if (!oldest) return
    this.#floor = oldest.seq
    this.#keptCharacters -= oldest.data.length
  }

  #linger(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.followed) this.#idle()
    }, lingerMs).unref()
  }
}

export type { Channel }

/** The channels of all chats in which something happens, or that somebody follows. */
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
