import type { Message } from "./chat-api.ts"

/** A step in the shown branch: a user message, or answers side by side. */
export interface Turn {
  key: string
  messages: readonly Message[]
  /** The message that the branch continues from. */
  chosen: Message
  /** The alternatives at this step, including this one, oldest first: the first message of each. */
  alternatives: readonly Message[]
  alternativeIndex: number
}

const batchOf = (message: Message): string => message.batch ?? message.id

/** Messages by their parent, oldest first. */
const groupByParent = (messages: readonly Message[]): Map<string | null, Message[]> =>
  Map.groupBy(messages, ({ parent_id }) => parent_id)

const turnOf = (siblings: readonly Message[], chosen: Message): Turn => {
  const batches = [...Map.groupBy(siblings, batchOf).values()]
  const alternativeIndex = batches.findIndex((batch) => batch.includes(chosen))
  const sameBatch = batches[alternativeIndex] ?? [chosen]
  const first = sameBatch[0] ?? chosen
  return {
    key: first.id,
    messages: sameBatch,
    chosen,
    alternatives: batches.flatMap(([one]) => one ?? []),
    alternativeIndex,
  }
}

/** The branch from the root to `currentId`, as shown on the page. */
export const buildTurns = (messages: readonly Message[], currentId: string | null): Turn[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const branch: Message[] = []
  for (let at = currentId; at !== null; ) {
    const message = byId.get(at)
    if (!message) break
    byId.delete(at)
    branch.push(message)
    at = message.parent_id
  }
  const byParent = groupByParent(messages)
  return branch
    .reverse()
    .map((message) => turnOf(byParent.get(message.parent_id) ?? [message], message))
}

/** The leaf reached from `id` by always following the newest reply. */
export const findNewestLeaf = (messages: readonly Message[], id: string): string => {
  const byParent = groupByParent(messages)
  let currentId = id
  for (;;) {
    const children = byParent.get(currentId) ?? []
    const newest = children.at(-1)
    if (!newest) return currentId
    const first = children.find((child) => batchOf(child) === batchOf(newest))
    currentId = (first ?? newest).id
  }
}

export const isRunning = (messages: readonly Message[]): boolean =>
  messages.some(({ state }) => state === "running")

/** The last message of the shown branch that satisfies `fits`. */
export const findLastChosen = (
  turns: readonly Turn[],
  fits: (message: Message) => boolean,
): Message | undefined => turns.map(({ chosen }) => chosen).findLast(fits)
