import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { type ChatWithMessages, chatApi, chatQuery } from "../../lib/chat-api.ts"
import { watchSaveErrors } from "../../lib/delayed-saves.ts"
import { queryClient } from "../../lib/query-client.ts"
import { preloadMarkdown } from "./answer-text.tsx"
import type { Attachment } from "./attachments.ts"
import { rememberModels } from "./chat-models.ts"
import type { NewChatSettings } from "./chat-settings.ts"
import { type MessageActions, storedMessageActions } from "./message-actions.ts"

/** A message to send: text, images as data URLs, and attachments. */
export interface OutgoingMessage {
  content: string
  images: string[]
  files: readonly Attachment[]
}

/** What a chat's page does with messages, wherever they are kept. */
export interface ChatBackend {
  /** Whether messages and drafts outlive the page. */
  isStored: boolean
  /** A message that the server has not accepted yet. */
  pending: OutgoingMessage | null
  error: unknown
  setError: (error: unknown) => void
  send: (message: OutgoingMessage) => Promise<void>
  /** Stops the running answers. */
  stop: () => void
  actions: MessageActions
}

interface Deps {
  chat: ChatWithMessages | null
  models: readonly string[]
  /** For a chat that does not exist yet. */
  settings: NewChatSettings
  /** The project of a chat that does not exist yet. */
  folder: string | null
}

/** Sends messages and shows each immediately; the first one creates the chat. */
export const useStoredChatBackend = ({ chat, models, settings, folder }: Deps): ChatBackend => {
  const [pending, setPending] = useState<OutgoingMessage | null>(null)
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  useEffect(() => watchSaveErrors(chat?.id ?? "", setError), [chat?.id])

  const post = async (id: string, message: OutgoingMessage): Promise<void> => {
    await chatApi.sendMessage(id, { ...message, files: [...message.files], models: [...models] })
  }
  const postFirst = async (message: OutgoingMessage): Promise<void> => {
    const sent = settings.read()
    const created = await chatApi.create({ models: [...models], folder, ...sent })
    const { id } = created
    const emptyChat = { ...created, messages: [], earlier: null, seq: 0, writable: true }
    queryClient.setQueryData<ChatWithMessages>(chatQuery(id).queryKey, emptyChat)
    try {
      await post(id, message)
    } catch (reason) {
      void chatApi.remove(id).catch(() => {})
      throw reason
    }
    settings.moveTo(id, sent)
    await navigate({ to: "/c/$chatId", params: { chatId: id } })
  }

  const send = async (message: OutgoingMessage): Promise<void> => {
    preloadMarkdown()
    setError(null)
    setPending(message)
    rememberModels(models)
    try {
      await (chat ? post(chat.id, message) : postFirst(message))
    } catch (reason) {
      setError(reason)
      throw reason
    } finally {
      setPending(null)
    }
  }
  const stop = (): void => {
    if (chat) chatApi.stop(chat.id).catch(setError)
  }
  return {
    isStored: true,
    pending,
    error,
    setError,
    send,
    stop,
    actions: storedMessageActions,
  }
}
