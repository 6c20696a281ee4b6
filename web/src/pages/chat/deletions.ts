import { useSyncExternalStore } from "react"
import { chatApi, refreshChatLists } from "../../lib/chat-api.ts"

/** How long "Undo" is offered. */
const undoMs = 7000

export interface Deletion {
  id: string
  title: string
}

let pending: readonly Deletion[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()

const set = (next: readonly Deletion[]): void => {
  pending = next
  for (const listener of listeners) listener()
}

const cancelTimer = (id: string): void => {
  clearTimeout(timers.get(id))
  timers.delete(id)
  set(pending.filter((deletion) => deletion.id !== id))
}

const deleteNow = async (id: string): Promise<void> => {
  timers.delete(id)
  try {
    await chatApi.remove(id)
  } catch {
    // On failure, the refetched list shows the chat again.
  }
  refreshChatLists()
  cancelTimer(id)
}

/** Hides a chat immediately and deletes it unless that is undone in time. */
export const scheduleDeletion = (id: string, title: string): void => {
  set([...pending.filter((deletion) => deletion.id !== id), { id, title }])
  timers.set(
    id,
    setTimeout(() => void deleteNow(id), undoMs),
  )
}

export const undoDeletion = (id: string): void => cancelTimer(id)

// Pending deletions are carried out when the page closes.
window.addEventListener("pagehide", () => {
  for (const id of timers.keys()) {
    void fetch(`/api/v1/chats/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true })
  }
})

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useDeletions = (): readonly Deletion[] =>
  useSyncExternalStore(subscribe, () => pending)
