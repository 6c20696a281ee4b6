import type { Message } from "../schema.ts"
import type { PositionRange } from "./message-reader.ts"
import type { MessageStore } from "./message-store.ts"

/** The size limits of a page. A message above the limit forms a page on its own. */
export interface PageSize {
  messages: number
  bytes: number
}

/** Where a page begins, by position in the chat. */
export type PageStart = { after: number } | { before: number }

export interface StoredMessagePage extends PositionRange {
  /** In order of position. */
  messages: Message[]
  /** Whether the chat has more messages in that direction. */
  hasMore: boolean
}

export const startOfChat = { after: -1 } satisfies PageStart
export const endOfChat = { before: Number.MAX_SAFE_INTEGER } satisfies PageStart

export interface PageRequest {
  start: PageStart
  size: PageSize
  /** Called with the size of the page in bytes before it is read; may throw to reject it. */
  beforeRead?: (bytes: number) => void
}

/** Reads messages of a chat in pages of limited size; null if there are none. */
export const readMessagePage = async (
  store: Pick<MessageStore, "sizes" | "inRange">,
  chatId: string,
  { start, size, beforeRead }: PageRequest,
): Promise<StoredMessagePage | null> => {
  const sizes = await store.sizes(chatId, start, size.messages + 1)
  let bytes = 0
  let count = 0
  for (const one of sizes.slice(0, size.messages)) {
    bytes += Number(one.bytes)
    if (count > 0 && bytes > size.bytes) break
    count++
  }
  const read = sizes.slice(0, count)
  const positions = read.map(({ position }) => position)
  if (positions.length === 0) return null
  beforeRead?.(read.reduce((sum, one) => sum + Number(one.bytes), 0))
  const range = { from: Math.min(...positions), to: Math.max(...positions) }
  const messages = await store.inRange(chatId, range)
  return { ...range, messages, hasMore: sizes.length > count }
}
