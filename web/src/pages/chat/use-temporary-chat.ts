import { useEffect, useMemo, useRef, useState } from "react"
import { type ChatWithMessages, type Message, mergeMessages } from "../../lib/chat-api.ts"
import { findNewestLeaf } from "../../lib/chat-tree.ts"
import { streamCompletion } from "../../lib/completion-stream.ts"
import { instructionsQuery } from "../../lib/prompt-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { preloadMarkdown } from "./answer-text.tsx"
import { rememberModels } from "./chat-models.ts"
import { type ChatSettings, requireValidSettings, type SettingsDraft } from "./chat-settings.ts"
import type { MessageActions } from "./message-actions.ts"
import {
  addDelta,
  buildCompletionBody,
  createAnswers,
  createQuestion,
  createTemporaryChat,
  failedAnswerFields,
} from "./temporary-messages.ts"
import type { ChatBackend } from "./use-stored-chat-backend.ts"

/** The chat and its changes, in the page's memory only. */
const createTemporaryStore = (onChange: (chat: ChatWithMessages) => void) => {
  let chat = createTemporaryChat()
  let frame = 0
  const controllers = new Map<string, AbortController>()

  const publish = (): void => {
    cancelAnimationFrame(frame)
    frame = 0
    onChange(chat)
  }
  const change = (next: ChatWithMessages): void => {
    chat = next
    publish()
  }
  const patch = (id: string, update: (message: Message) => Message): void => {
    const message = chat.messages.find((one) => one.id === id)
    if (message) chat = mergeMessages(chat, [update(message)])
  }

  const write = async (answer: Message, settings: ChatSettings): Promise<void> => {
    const controller = new AbortController()
    controllers.set(answer.id, controller)
    const startedAt = performance.now()
    const elapsedMs = (): number => Math.round(performance.now() - startedAt)
    patch(answer.id, (message) => ({ ...message, state: "running", error: null }))
    publish()
    try {
      // They may have been changed in another window just now.
      const latest = { ...instructionsQuery, staleTime: 0 }
      const { instructions } = await queryClient.fetchQuery(latest)
      const system = [instructions, settings.system].filter((text) => text.trim() !== "")
      const body = buildCompletionBody(chat, answer, { ...settings, system: system.join("\n\n") })
      for await (const delta of streamCompletion(body, controller.signal)) {
        patch(answer.id, (message) => addDelta(message, delta, elapsedMs()))
        frame ||= requestAnimationFrame(publish)
      }
      patch(answer.id, (message) => ({ ...message, state: "completed" }))
    } catch (error) {
      const { aborted } = controller.signal
      const end = aborted ? ({ state: "stopped" } as const) : failedAnswerFields(error)
      patch(answer.id, (message) => ({ ...message, ...end }))
    } finally {
      controllers.delete(answer.id)
      patch(answer.id, (message) => ({ ...message, duration_ms: elapsedMs() }))
      publish()
    }
  }

  return {
    chat: (): ChatWithMessages => chat,
    change,
    /** Adds the messages, shows the first of the answers, and starts writing all of them. */
    start: (
      added: readonly Message[],
      answers: readonly Message[],
      settings: ChatSettings,
    ): void => {
      const current_id = answers[0]?.id ?? chat.current_id
      change({ ...mergeMessages(chat, [...added, ...answers]), current_id })
      for (const answer of answers) void write(answer, settings)
    },
    /** Adds a message and shows it. */
    add: (message: Message): void =>
      change({ ...mergeMessages(chat, [message]), current_id: message.id }),
    stop: (): void => {
      for (const controller of controllers.values()) controller.abort()
    },
  }
}

/** A chat that is never stored: its messages are kept on the page, its answers streamed. */
export const useTemporaryChat = (models: readonly string[], settings: SettingsDraft) => {
  const [error, setError] = useState<unknown>(null)
  const [changed, setChat] = useState<ChatWithMessages | null>(null)
  const store = useMemo(() => createTemporaryStore(setChat), [])
  const latest = useRef({ models, settings })
  latest.current = { models, settings }
  useEffect(() => () => store.stop(), [store])

  const backend = useMemo((): Omit<ChatBackend, "error" | "setError"> => {
    const ask = (question: Parameters<typeof createQuestion>[1]): void => {
      const added = createQuestion(store.chat(), question)
      const answers = createAnswers(store.chat(), added.id, latest.current.models)
      store.start([added], answers, requireValidSettings(latest.current.settings))
    }
    const writeAnswers = (answers: readonly Message[]): void =>
      store.start([], answers, requireValidSettings(latest.current.settings))
    const actions: MessageActions = {
      edit: async ({ parent_id, images, files }, content) =>
        ask({ parentId: parent_id, content, images: images.map(({ id }) => id), files }),
      regenerate: async (messages, models = messages.flatMap(({ model }) => model ?? [])) =>
        writeAnswers(createAnswers(store.chat(), messages[0]?.parent_id ?? null, models)),
      editAnswer: async (message, content) => {
        const [version] = createAnswers(store.chat(), message.parent_id, [message.model ?? ""])
        if (version) store.add({ ...version, content, state: "completed", edited: true })
      },
      rate: () => Promise.reject(new Error("The answers of a temporary chat cannot be rated.")),
      continueAnswer: async (message) => writeAnswers([message]),
      showBranch: async ({ id }) =>
        store.change({ ...store.chat(), current_id: findNewestLeaf(store.chat().messages, id) }),
    }
    return {
      isStored: false,
      pending: null,
      send: async (message) => {
        preloadMarkdown()
        rememberModels(latest.current.models)
        setError(null)
        try {
          ask({ parentId: store.chat().current_id, ...message })
        } catch (reason) {
          setError(reason)
          throw reason
        }
      },
      stop: store.stop,
      actions,
    }
  }, [store])
  return { chat: changed ?? store.chat(), backend: { ...backend, error, setError } }
}
