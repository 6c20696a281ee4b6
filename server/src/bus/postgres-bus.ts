import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import pg from "pg"
import { z } from "zod"
import { afterCommit } from "../db/database.ts"
import { type Bus, createListeners, type Message } from "./bus.ts"

const channel = "portico"
const firstPauseMs = 200
const longestPauseMs = 5000

const Envelope = z.object({
  from: z.string(),
  message: z.union([
    z.object({ topic: z.literal("user"), id: z.string() }),
    z.object({ topic: z.literal("chats"), user_id: z.string(), id: z.string().nullable() }),
    z.object({
      topic: z.literal("chat_stop"),
      id: z.string(),
      message_id: z.string().nullable(),
    }),
    z.object({ topic: z.enum(["groups", "connections", "models", "settings", "reset"]) }),
  ]),
})

/**
 * LISTEN/NOTIFY over a connection of its own. The notice is part of the transaction, so that no
 * commit goes untold. After a lost connection a `reset` follows, as notices may have been missed.
 */
export const createPostgresBus = (url: string): Bus => {
  const from = randomUUID()
  const { deliver, subscribe } = createListeners()
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let closed = false

  const reconnectLater = (): void => {
    if (closed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void listen(true)
    }, pauseMs)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }

  const listen = async (again: boolean): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: 3000,
      application_name: "portico bus",
    })
    next.on("error", () => {})
    next.on("end", reconnectLater)
    next.on("notification", ({ payload }) => {
      const envelope = Envelope.safeParse(JSON.parse(payload ?? "null"))
      if (envelope.success && envelope.data.from !== from) deliver(envelope.data.message)
    })
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
      client = next
      pauseMs = firstPauseMs
      if (again) deliver({ topic: "reset" })
    } catch {
      await next.end().catch(() => {})
      reconnectLater()
    }
  }

  void listen(false)
  return {
    publish: async (tx, message: Message) => {
      const envelope = JSON.stringify({ from, message })
      await sql`select pg_notify(${channel}, ${envelope})`.execute(tx)
      afterCommit(tx, () => deliver(message))
    },
    subscribe,
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
