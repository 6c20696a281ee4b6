import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { type ChatWithMessages, chatApi, chatQuery } from "../../lib/chat-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { preloadMarkdown } from "./answer-text.tsx"
import type { Attached } from "./attached.ts"
import { rememberModels } from "./model-choice.ts"
import type { ChatSettings } from "./pane.tsx"

/** A message to send: text, images as data URLs, and attachments. */
export interface Said {
  content: string
  images: string[]
  files: readonly Attached[]
}

interface Deps {
  chat: ChatWithMessages | null
  models: readonly string[]
  /** For a chat that does not exist yet. */
  settings: ChatSettings
}

/** Sends messages and shows each immediately; the first one creates the chat. */
export const useSending = ({ chat, models, settings }: Deps) => {
  const [pending, setPending] = useState<Said | null>(null)
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()

  const begin = async (): Promise<string> => {
    const made = await chatApi.create({ models: [...models], ...settings })
    const begun = { ...made, messages: [], earlier: null, seq: 0, writable: true }
    queryClient.setQueryData<ChatWithMessages>(chatQuery(made.id).queryKey, begun)
    return made.id
  }

  const send = async (said: Said): Promise<void> => {
    preloadMarkdown()
    setError(null)
    setPending(said)
    rememberModels(models)
    let id = chat?.id ?? null
    try {
      id ??= await begin()
      await chatApi.say(id, { ...said, files: [...said.files], models: [...models] })
      if (!chat) await navigate({ to: "/c/$chatId", params: { chatId: id } })
    } catch (reason) {
      setError(reason)
      // Remove the chat just created if its first message was rejected.
      if (id !== null && !chat) void chatApi.remove(id).catch(() => {})
      throw reason
    } finally {
      setPending(null)
    }
  }
  return { pending, error, send, setError }
}
