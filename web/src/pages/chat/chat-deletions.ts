import { createValueStore } from "../../browser/value-store.ts"
import { ApiError } from "../../lib/api.ts"
import { chatApi, refreshChatLists } from "../../lib/chat-api.ts"

/** How long "Undo" is offered. */
const undoMs = 7000

/** Chats deleted together, by one action of the user. */
export interface ChatDeletion {
  key: string
  chats: readonly { id: string; title: string }[]
  /** `pending` while it can be undone. The chats of a failed deletion are shown again. */
  state: "pending" | "running" | "failed"
  /** Why it failed. */
  error: unknown
}

let lastKey = 0
const deletions = createValueStore<readonly ChatDeletion[]>([])
const timers = new Map<string, ReturnType<typeof setTimeout>>()

const change = (key: string, changes: Partial<ChatDeletion>): void =>
  deletions.set(deletions.get().map((one) => (one.key === key ? { ...one, ...changes } : one)))

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404

const remove = async (id: string): Promise<{ id: string; error: unknown } | null> => {
  try {
    await chatApi.remove(id)
    return null
  } catch (error) {
    return isNotFound(error) ? null : { id, error }
  }
}

const idsOf = ({ chats }: ChatDeletion): string[] => chats.map(({ id }) => id)

/** Dismisses a failed deletion, or undoes one that is still pending. */
export const cancelChatDeletion = (key: string): void => {
  clearTimeout(timers.get(key))
  timers.delete(key)
  deletions.set(deletions.get().filter((deletion) => deletion.key !== key))
}

/** Deletes the chats without waiting; also tries a failed deletion again. */
export const deleteChatsNow = async (deletion: ChatDeletion): Promise<void> => {
  const { key, chats } = deletion
  timers.delete(key)
  change(key, { state: "running", error: null })
  const failures = (await Promise.all(idsOf(deletion).map(remove))).filter((one) => one !== null)
  await refreshChatLists()
  const [first] = failures
  if (!first) return cancelChatDeletion(key)
  const failedIds = new Set(failures.map(({ id }) => id))
  const failed = chats.filter(({ id }) => failedIds.has(id))
  change(key, { chats: failed, state: "failed", error: first.error })
}

/** Hides chats immediately and deletes them unless that is undone in time. */
export const scheduleChatDeletion = (chats: ChatDeletion["chats"]): void => {
  lastKey++
  const deletion: ChatDeletion = { key: String(lastKey), chats, state: "pending", error: null }
  deletions.set([...deletions.get(), deletion])
  timers.set(
    deletion.key,
    setTimeout(() => void deleteChatsNow(deletion), undoMs),
  )
}

// Pending deletions are carried out when the page closes.
window.addEventListener("pagehide", () => {
  for (const id of deletions
    .get()
    .filter(({ state }) => state === "pending")
    .flatMap(idsOf)) {
    void fetch(`/api/v1/chats/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true })
  }
})

export const useChatDeletions = deletions.useValue

/** The IDs of the chats that lists leave out because they are being deleted. */
export const useDeletedChatIds = (): ReadonlySet<string> =>
  new Set(
    useChatDeletions()
      .filter(({ state }) => state !== "failed")
      .flatMap(idsOf),
  )
