import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import pg from "pg"
import { z } from "zod"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { createRetryPause } from "../concurrency/retry-pause.ts"
import { afterCommit } from "../db/database.ts"
import { createTimeoutSocket } from "../db/postgres.ts"
import { type Bus, BusMessage, createTopicListeners } from "./bus.ts"

const channel = "portico"
const minReconnectDelayMs = 200
const maxReconnectDelayMs = 1000
/** Interval of the `select 1` heartbeat, and the silence after which the socket is closed. */
const heartbeatMs = 1000
const heartbeatTimeoutMs = 4000

const Envelope = z.object({ from: z.string(), message: BusMessage })

/** @returns null for a payload that another program sent on our channel */
const parseEnvelope = (payload: string | undefined): z.output<typeof Envelope> | null => {
  try {
    return Envelope.safeParse(JSON.parse(payload ?? "null")).data ?? null
  } catch {
    return null
  }
}

/**
 * Bus over PostgreSQL LISTEN/NOTIFY on a dedicated connection. NOTIFY is part of the transaction, so
 * every commit is announced. Each (re)connect delivers a `reset`, because notifications may have been
 * missed in the meantime.
 */
export const createPostgresBus = (url: string, background: BackgroundTasks): Bus => {
  const from = randomUUID()
  const { deliver, subscribe, close } = createTopicListeners(background)
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  const reconnectPause = createRetryPause({
    minMs: minReconnectDelayMs,
    maxMs: maxReconnectDelayMs,
  })
  let isClosed = false

  const reconnectLater = (): void => {
    if (isClosed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void listen()
    }, reconnectPause.next())
  }

  const listen = async (): Promise<void> => {
    const connecting = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: 3000,
      application_name: "portico bus",
      stream: createTimeoutSocket(heartbeatTimeoutMs),
    })
    let isHeartbeatPending = false
    const heartbeat = setInterval(async () => {
      if (isHeartbeatPending) return
      isHeartbeatPending = true
      // Without a response, the socket is closed, and `end` follows.
      await connecting.query("select 1").catch(() => {})
      isHeartbeatPending = false
    }, heartbeatMs)
    // `end` follows.
    connecting.on("error", () => {})
    connecting.on("end", () => {
      clearInterval(heartbeat)
      reconnectLater()
    })
    connecting.on("notification", ({ payload }) => {
      const envelope = parseEnvelope(payload)
      if (envelope && envelope.from !== from) deliver(envelope.message)
    })
    const isListening = await background.runInBackground("listen for notifications", async () => {
      await connecting.connect()
      await connecting.query(`listen ${channel}`)
    })
    if (isListening) {
      client = connecting
      reconnectPause.reset()
      deliver({ topic: "reset" })
      return
    }
    clearInterval(heartbeat)
    // Fails if the connection was never open.
    await connecting.end().catch(() => {})
    reconnectLater()
  }

  void listen()
  return {
    publish: async (tx, message) => {
      const envelope = JSON.stringify({ from, message })
      await sql`select pg_notify(${channel}, ${envelope})`.execute(tx)
      afterCommit(tx, () => deliver(message))
    },
    subscribe,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      close()
      // Fails if the connection was lost.
      await client?.end().catch(() => {})
    },
  }
}
