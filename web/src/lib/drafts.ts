import { useReducer, useRef } from "react"
import { readLocalStorage, useLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"
import type { Message } from "./chat-api.ts"
import { currentUserId, useCurrentUser } from "./session.ts"

/** The draft of the start page. */
export const newChatDraft = "new"

/** Storage keys of a draft; each account of this browser has its own drafts. */
const draftKeys = (userId: string, draft: string) => ({
  text: `drafts.${userId}.${draft}`,
  files: `drafts.${userId}.${draft}.files`,
  settings: `drafts.${userId}.${draft}.settings`,
})

/** A part of a draft that survives a reload; with `draft` null, it is only kept by the page. */
export const useDraftPart = (draft: string | null, part: "text" | "files" | "settings") => {
  const { id } = useCurrentUser()
  const key = draft === null ? null : draftKeys(id, draft)[part]
  const memory = useRef<string | null>(null)
  const [, rerender] = useReducer((times: number) => times + 1, 0)
  const stored = useLocalStorage(key ?? "")
  return {
    value: key === null ? memory.current : stored,
    /** The latest value, which may be newer than the rendered one. */
    read: (): string | null => (key === null ? memory.current : readLocalStorage(key)),
    write: (value: string | null): void => {
      memory.current = value
      if (key === null) rerender()
      else writeLocalStorage(key, value)
    },
  }
}

/** Attaches files and collections to the message that the start page opens with. */
export const attachToNewChat = (userId: string, files: Message["files"]): void =>
  writeLocalStorage(draftKeys(userId, newChatDraft).files, JSON.stringify(files))

export const writeDraftSettings = (userId: string, draft: string, settings: string): void =>
  writeLocalStorage(draftKeys(userId, draft).settings, settings)

/** Attachments without a text would surprise whoever starts a new chat later. */
export const discardDraftWithoutText = (): void => {
  const userId = currentUserId()
  if (userId === undefined) return
  const { text, files } = draftKeys(userId, newChatDraft)
  if (!readLocalStorage(text)?.trim()) writeLocalStorage(files, null)
}

/** Earlier versions shared one draft among all accounts; whose it was is unknown. */
export const removeLegacyDrafts = (): void => {
  try {
    const shared = Object.keys(localStorage).filter((key) => key.startsWith("portico.draft."))
    for (const key of shared) localStorage.removeItem(key)
  } catch {
    // Without storage there are no drafts.
  }
}
