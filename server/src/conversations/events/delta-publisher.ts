import type { Message } from "../schema.ts"
import type { ChatEventLog } from "./chat-event-log.ts"

/** Deltas within this interval are combined. */
const minIntervalMs = 25

/** Publishes the growth of a message as deltas, in limited frequency. */
export const createDeltaPublisher = (eventLog: ChatEventLog, message: Message) => {
  let contentAt = message.content.length
  let reasoningAt = message.reasoning.length
  let timer: NodeJS.Timeout | undefined
  let publishedAt = 0

  const publish = (): void => {
    clearTimeout(timer)
    timer = undefined
    publishedAt = performance.now()
    const content = message.content.slice(contentAt)
    const reasoning = message.reasoning.slice(reasoningAt)
    if (content === "" && reasoning === "") return
    const at = { content_at: contentAt, reasoning_at: reasoningAt }
    eventLog.publish("delta", { id: message.id, ...at, content, reasoning })
    contentAt = message.content.length
    reasoningAt = message.reasoning.length
  }

  return {
    publish,

    publishSoon: (): void => {
      const wait = minIntervalMs - (performance.now() - publishedAt)
      if (wait <= 0) publish()
      else timer ??= setTimeout(publish, wait)
    },
  }
}
