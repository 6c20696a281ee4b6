import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type ChatWithMessages, chatApi } from "../../lib/chat-api.ts"
import { saveSoon, setProblem } from "../../lib/delayed-saves.ts"
import { newChatDraft, useDraftPart } from "../../lib/drafts.ts"

export interface ChatSettings {
  system: string
  params: Record<string, unknown>
}

/** The settings as typed; nothing is sent while one of them is wrong. */
export interface SettingsDraft extends ChatSettings {
  /** What was typed in place of a valid parameter, by its name. */
  invalid: Record<string, string>
}

export const noSettings: SettingsDraft = { system: "", params: {}, invalid: {} }

const problemOf = ({ invalid }: SettingsDraft): string | null =>
  Object.keys(invalid).length > 0 ? t("chat.settingsInvalid") : null

/** @throws if a parameter is wrong, so that no answer is generated without it */
export const readSettings = (draft: SettingsDraft): ChatSettings => {
  const problem = problemOf(draft)
  if (problem !== null) throw new Error(problem)
  return { system: draft.system, params: draft.params }
}

/** What was typed and is wrong, by chat; shown again when the user returns to the chat. */
const invalidDrafts = new Map<string, SettingsDraft>()

const parseDraft = (stored: string | null): SettingsDraft => {
  try {
    return { ...noSettings, ...(JSON.parse(stored ?? "{}") as Partial<SettingsDraft>) }
  } catch {
    return noSettings
  }
}

/** The settings of a chat that does not exist yet; they survive a reload, as its text does. */
const useNewChatSettings = () => {
  const { value, read, write } = useDraftPart(newChatDraft, "settings")
  return {
    draft: parseDraft(value),
    setDraft: (draft: SettingsDraft): void => write(JSON.stringify(draft)),
    /** The latest settings, also if typed just now. */
    read: (): ChatSettings => readSettings(parseDraft(read())),
    discard: (): void => write(null),
  }
}

export type NewChatSettings = Pick<ReturnType<typeof useNewChatSettings>, "read" | "discard">

/** The settings of a chat as typed, saved shortly after the last change. */
export const useChatSettings = (chat: ChatWithMessages | null) => {
  const unsaved = useNewChatSettings()
  const [typed, setTyped] = useState(() => invalidDrafts.get(chat?.id ?? "") ?? null)
  if (!chat) return unsaved
  return {
    ...unsaved,
    draft: typed ?? { system: chat.system, params: chat.params, invalid: {} },
    setDraft: (draft: SettingsDraft): void => {
      const { system, params } = draft
      const problem = problemOf(draft)
      setTyped(draft)
      setProblem(chat.id, problem)
      if (problem === null) invalidDrafts.delete(chat.id)
      else invalidDrafts.set(chat.id, draft)
      saveSoon(chat.id, (keepalive) => chatApi.update(chat.id, { system, params }, keepalive))
    },
  }
}
