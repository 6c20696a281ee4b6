import type { Message } from "./chat-api.ts"

/** A step in the shown branch: a user message, or answers side by side. */
export interface Turn {
  key: string
  messages: readonly Message[]
  /** The message that the branch continues from. */
  chosen: Message
  /** The alternatives at this step, including this one, oldest first: the first message of each. */
  ways: readonly Message[]
  way: number
}

const batchOf = (message: Message): string => message.batch ?? message.id

/** The replies to `parentId`, oldest first. */
const childrenOf = (messages: readonly Message[], parentId: string | null): Message[] =>
  messages.filter((message) => message.parent_id === parentId)

const turnOf = (messages: readonly Message[], chosen: Message): Turn => {
  const siblings = childrenOf(messages, chosen.parent_id)
  const batches = [...Map.groupBy(siblings, batchOf).values()]
  const way = batches.findIndex((batch) => batch.includes(chosen))
  const together = batches[way] ?? [chosen]
  const first = together[0] ?? chosen
  return {
    key: first.id,
    messages: together,
    chosen,
    ways: batches.flatMap(([one]) => one ?? []),
    way,
  }
}

/** The branch from the root to `currentId`, as shown on the page. */
export const turnsTo = (messages: readonly Message[], currentId: string | null): Turn[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const branch: Message[] = []
  for (let at = currentId; at !== null; ) {
    const message = byId.get(at)
    if (!message) break
    byId.delete(at)
    branch.push(message)
    at = message.parent_id
  }
  return branch.reverse().map((message) => turnOf(messages, message))
}

/** The leaf reached from `id` by always following the newest reply. */
export const newestBelow = (messages: readonly Message[], id: string): string => {
  let at = id
  for (;;) {
    const children = childrenOf(messages, at)
    const newest = children.at(-1)
    if (!newest) return at
    const first = children.find((child) => batchOf(child) === batchOf(newest))
    at = (first ?? newest).id
  }
}

export const isRunning = (messages: readonly Message[]): boolean =>
  messages.some(({ state }) => state === "running")

/** The last message of the shown branch that satisfies `fits`. */
export const lastOf = (
  turns: readonly Turn[],
  fits: (message: Message) => boolean,
): Message | undefined => turns.map(({ chosen }) => chosen).findLast(fits)
