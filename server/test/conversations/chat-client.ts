import { z } from "zod"
import type { TestGateway } from "../harness/gateway.ts"

const EventFields = z.object({
  id: z.number(),
  /** The ID as received; within a snapshot, it is more than a number. */
  idText: z.string(),
  name: z.string(),
  data: z.unknown(),
})
export type StreamEvent = z.output<typeof EventFields> & {
  // biome-ignore lint/suspicious/noExplicitAny: tests read events as a script does
  data: any
}

export interface FollowedStream {
  events: StreamEvent[]
  /** Resolves with the first matching event, whether already received or still to come. */
  waitFor(matches: (event: StreamEvent) => boolean): Promise<StreamEvent>
  /** The text of a message according to the events received. */
  text(messageId: string): string
  last(): number
  ended: Promise<void>
  leave(): void
}

const parseEvent = (text: string): StreamEvent | null => {
  const field = (name: string): string | undefined =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const name = field("event")
  if (!name) return null
  const idText = field("id") ?? "0"
  return { id: Number(idText), idText, name, data: JSON.parse(field("data") ?? "null") }
}

interface ReaderState {
  content: string
}

/** Follows one of the gateway's event streams as the web page does. */
export const followEventStream = async (
  url: string,
  path: string,
  key: string,
): Promise<FollowedStream & { status: number }> => {
  const leaving = new AbortController()
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  })
  const events: StreamEvent[] = []
  const waiters = new Set<() => void>()
  const readAll = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk, { stream: true })
      const parts = rest.split("\n\n")
      rest = parts.pop() ?? ""
      events.push(...parts.flatMap((part) => parseEvent(part) ?? []))
      for (const wake of waiters) wake()
    }
  }
  const ended = readAll().catch(() => {})

  const reading = new Map<string, ReaderState>()
  const apply = ({ name, data }: StreamEvent): void => {
    if (name === "snapshot")
      for (const message of data.messages) reading.set(message.id, { ...message })
    if (name === "message") reading.set(data.id, { ...data })
    const known = reading.get(data.id)
    if (name === "delta" && known) {
      known.content = known.content.slice(0, data.content_at) + data.content
    }
  }

  return {
    status: response.status,
    events,
    ended,
    leave: () => leaving.abort(),
    last: () => events.at(-1)?.id ?? 0,
    text: (messageId) => {
      reading.clear()
      for (const event of events) apply(event)
      return reading.get(messageId)?.content ?? ""
    },
    waitFor: async (matches) => {
      for (;;) {
        const found = events.find(matches)
        if (found) return found
        await new Promise<void>((resolve, reject) => {
          const wake = (): void => {
            waiters.delete(wake)
            resolve()
          }
          waiters.add(wake)
          void ended.then(() => reject(new Error("The stream ended before a matching event")))
        })
      }
    },
  }
}

/** A client for one user's chats. */
export const createChatClient = (gateway: Pick<TestGateway, "call" | "url">, key: string) => {
  const call = (method: string, path: string, body?: unknown) =>
    gateway.call(method, `/api/v1/chats${path}`, body, { key })
  const follow = (id: string, after = 0): Promise<FollowedStream> =>
    followEventStream(gateway.url, `/api/v1/chats/${id}/events?after=${after}`, key)

  return {
    call,
    follow,
    createChat: async (fields: Record<string, unknown> = {}): Promise<string> => {
      const { body } = await call("POST", "/new", { models: ["gpt-fake"], ...fields })
      return body.id
    },
    /** Sends a message and waits until all answers to it have ended. */
    sendMessage: async (id: string, fields: Record<string, unknown>) => {
      const started = await call("POST", `/${id}/messages`, fields)
      if (started.status !== 200) throw new Error(JSON.stringify(started.body))
      const following = await follow(id, started.body.seq)
      const ids = started.body.messages.map((message: { id: string }) => message.id)
      for (const messageId of ids) {
        await following.waitFor(
          ({ name, data }) =>
            name === "message" && data.id === messageId && data.state !== "running",
        )
      }
      following.leave()
      const { body } = await call("GET", `/${id}`)
      return body.messages.filter((message: { id: string }) => ids.includes(message.id))
    },
  }
}
