import { useEffect } from "react"
import {
  type ChatWithMessages,
  chatQuery,
  eventsUrl,
  type Message,
  patchChat,
  withMessages,
} from "./chat-api.ts"
import { queryClient } from "./query-client.ts"

interface Delta {
  id: string
  content_at: number
  content: string
  reasoning_at: number
  reasoning: string
}

type Change = (chat: ChatWithMessages) => ChatWithMessages

/** Idempotent; null if the message lacks text that precedes the delta. */
const grown = (message: Message, delta: Delta): Message | null => {
  const { content, reasoning } = message
  if (delta.content_at > content.length || delta.reasoning_at > reasoning.length) return null
  return {
    ...message,
    content: content.slice(0, delta.content_at) + delta.content,
    reasoning: reasoning.slice(0, delta.reasoning_at) + delta.reasoning,
  }
}

/** Applies the chat's event stream to the cache, at most once per frame. */
const createFollower = (chatId: string, after: number) => {
  let changes: Change[] = []
  let frame = 0
  const source = new EventSource(eventsUrl(chatId, after))

  const draw = (): void => {
    frame = 0
    const due = changes
    changes = []
    patchChat(chatId, (chat) => due.reduce((before, change) => change(before), chat))
  }
  const later = (change: Change): void => {
    changes.push(change)
    // A hidden window gets no animation frames, and changes would pile up.
    if (document.hidden) draw()
    else frame ||= requestAnimationFrame(draw)
  }
  const askAnew = (): void => {
    void queryClient.invalidateQueries({ queryKey: chatQuery(chatId).queryKey })
  }
  const listen = <T>(name: string, hear: (data: T) => void): void => {
    source.addEventListener(name, (event) => hear(JSON.parse(event.data)))
  }

  // A long chat's snapshot arrives in several events.
  for (const name of ["snapshot", "messages"]) {
    listen<{ messages: Message[] }>(name, ({ messages }) =>
      later((chat) => withMessages(chat, messages)),
    )
  }
  listen<Message>("message", (message) => later((chat) => withMessages(chat, [message])))
  listen<Delta>("delta", (delta) =>
    later((chat) => {
      const known = chat.messages.find(({ id }) => id === delta.id)
      const next = known && grown(known, delta)
      if (next) return withMessages(chat, [next])
      askAnew()
      return chat
    }),
  )
  listen("deleted", askAnew)
  // EventSource reconnects automatically; the refetch shows whether the server is reachable.
  source.addEventListener("error", askAnew)

  return () => {
    source.close()
    cancelAnimationFrame(frame)
    draw()
  }
}

/** Subscribes to a chat's event stream while one of its answers is being written. */
export const useFollow = (chat: ChatWithMessages | undefined): void => {
  const id = chat?.id
  const running = chat?.messages.some(({ state }) => state === "running") === true
  // biome-ignore lint/correctness/useExhaustiveDependencies: seq is only the starting point
  useEffect(() => {
    if (id === undefined || !running) return
    return createFollower(id, chat?.seq ?? 0)
  }, [id, running])
}
