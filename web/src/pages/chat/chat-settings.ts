import { useEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import { type ChatWithMessages, chatApi } from "../../lib/chat-api.ts"
import { saveSoon, setSaveProblem } from "../../lib/delayed-saves.ts"
import { newChatDraft, useDraftPart, writeDraftSettings } from "../../lib/drafts.ts"
import { useCurrentUser } from "../../lib/session.ts"

export interface ChatSettings {
  system: string
  params: Record<string, unknown>
}

/** The settings as typed; nothing is sent while one of them is wrong. */
export interface SettingsDraft extends ChatSettings {
  /** What was typed in place of a valid parameter, by its name. */
  invalid: Record<string, string>
}

export const emptySettings: SettingsDraft = { system: "", params: {}, invalid: {} }

const problemOf = ({ invalid }: SettingsDraft): string | null =>
  Object.keys(invalid).length > 0 ? t("chat.settingsInvalid") : null

/** @throws if a parameter is wrong, so that no answer is generated without it */
export const requireValidSettings = (draft: SettingsDraft): ChatSettings => {
  const problem = problemOf(draft)
  if (problem !== null) throw new Error(problem)
  return { system: draft.system, params: draft.params }
}

const parseDraft = (stored: string | null): SettingsDraft => {
  try {
    return { ...emptySettings, ...(JSON.parse(stored ?? "{}") as Partial<SettingsDraft>) }
  } catch {
    return emptySettings
  }
}

/** The settings of a chat that does not exist yet; they survive a reload, as its text does. */
const useNewChatSettings = () => {
  const { id: userId } = useCurrentUser()
  const { value, read, write } = useDraftPart(newChatDraft, "settings")
  return {
    draft: parseDraft(value),
    setDraft: (draft: SettingsDraft): void => write(JSON.stringify(draft)),
    /** The latest settings, also if typed just now. */
    read: (): ChatSettings => requireValidSettings(parseDraft(read())),
    /** Leaves what was typed since `sent` was read to the chat that was created with it. */
    moveTo: (chatId: string, sent: ChatSettings): void => {
      const draft = parseDraft(read())
      const isSent = JSON.stringify(draft) === JSON.stringify({ ...emptySettings, ...sent })
      if (!isSent) writeDraftSettings(userId, chatId, JSON.stringify(draft))
      write(null)
    },
  }
}

export type NewChatSettings = Pick<ReturnType<typeof useNewChatSettings>, "read" | "moveTo">

/**
 * The settings of a chat as typed, saved shortly after the last change. Until then, they are kept
 * where a reload and the browser's other windows find them.
 */
const useStoredChatSettings = (chat: ChatWithMessages | null) => {
  const { value, read, write } = useDraftPart(chat?.id ?? null, "settings")
  const latest = useRef({ read, write })
  latest.current = { read, write }
  const id = chat?.id

  useEffect(() => {
    if (id === undefined) return
    setSaveProblem(id, value === null ? null : problemOf(parseDraft(value)))
    if (value === null) return
    saveSoon(id, async (keepalive) => {
      const saved = latest.current.read()
      if (saved === null) return
      const { system, params, invalid } = parseDraft(saved)
      await chatApi.update(id, { system, params }, keepalive)
      const isKept = Object.keys(invalid).length > 0 || latest.current.read() !== saved
      if (!isKept) latest.current.write(null)
    })
  }, [id, value])

  return {
    draft: value === null ? null : parseDraft(value),
    setDraft: (draft: SettingsDraft): void => write(JSON.stringify(draft)),
  }
}

/** The settings of a chat, or of the next one. */
export const useChatSettings = (chat: ChatWithMessages | null) => {
  const unsaved = useNewChatSettings()
  const { draft, setDraft } = useStoredChatSettings(chat)
  if (!chat) return unsaved
  const { system, params } = chat
  return { ...unsaved, draft: draft ?? { system, params, invalid: {} }, setDraft }
}
