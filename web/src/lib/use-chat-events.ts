import { useEffect, useState } from "react"
import {
  type ChatWithMessages,
  chatQuery,
  eventsUrl,
  type Message,
  mergeMessages,
  patchChat,
} from "./chat-api.ts"
import { queryClient } from "./query-client.ts"
import { waitUntilSignedIn } from "./session.ts"

interface Delta {
  id: string
  content_at: number
  content: string
  reasoning_at: number
  reasoning: string
}

type ChatUpdate = (chat: ChatWithMessages) => ChatWithMessages

/** Idempotent; null if the message lacks text that precedes the delta. */
const applyDelta = (message: Message, delta: Delta): Message | null => {
  const { content, reasoning } = message
  if (delta.content_at > content.length || delta.reasoning_at > reasoning.length) return null
  return {
    ...message,
    content: content.slice(0, delta.content_at) + delta.content,
    reasoning: reasoning.slice(0, delta.reasoning_at) + delta.reasoning,
  }
}

/**
 * Applies the chat's event stream to the cache, at most once per frame.
 * @param onClosed called if the browser gives up reconnecting, as the session has ended
 */
const subscribeToChatEvents = (chatId: string, after: number, onClosed: () => void) => {
  let changes: ChatUpdate[] = []
  let frame = 0
  const source = new EventSource(eventsUrl(chatId, after))

  const applyChanges = (): void => {
    frame = 0
    const pending = changes
    changes = []
    patchChat(chatId, (chat) => pending.reduce((before, change) => change(before), chat))
  }
  const enqueue = (change: ChatUpdate): void => {
    changes.push(change)
    // A hidden window gets no animation frames, and changes would pile up.
    if (document.hidden) applyChanges()
    else frame ||= requestAnimationFrame(applyChanges)
  }
  const refetchChat = (): void => {
    void queryClient.invalidateQueries({ queryKey: chatQuery(chatId).queryKey })
  }
  const listen = <T>(name: string, onData: (data: T) => void): void => {
    source.addEventListener(name, (event) => onData(JSON.parse(event.data)))
  }

  // A long chat's snapshot arrives in several events.
  for (const name of ["snapshot", "messages"]) {
    listen<{ messages: Message[] }>(name, ({ messages }) =>
      enqueue((chat) => mergeMessages(chat, messages)),
    )
  }
  listen<Message>("message", (message) => enqueue((chat) => mergeMessages(chat, [message])))
  listen<Delta>("delta", (delta) =>
    enqueue((chat) => {
      const known = chat.messages.find(({ id }) => id === delta.id)
      const next = known && applyDelta(known, delta)
      if (next) return mergeMessages(chat, [next])
      refetchChat()
      return chat
    }),
  )
  listen("deleted", refetchChat)
  // EventSource reconnects automatically; the refetch shows whether the server is reachable.
  source.addEventListener("error", () => {
    refetchChat()
    if (source.readyState === EventSource.CLOSED) onClosed()
  })

  return () => {
    source.close()
    cancelAnimationFrame(frame)
    applyChanges()
  }
}

/** Subscribes to a chat's event stream while one of its answers is being written. */
export const useChatEvents = (chat: ChatWithMessages | undefined): void => {
  const id = chat?.id
  const running = chat?.messages.some(({ state }) => state === "running") === true
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: seq is only the starting point
  useEffect(() => {
    if (id === undefined || !running) return
    const reconnect = (): void => void waitUntilSignedIn().then(() => setAttempt(attempt + 1))
    return subscribeToChatEvents(id, chat?.seq ?? 0, reconnect)
  }, [id, running, attempt])
}
