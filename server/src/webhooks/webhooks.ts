import type { Audit } from "../audit/audit.ts"
import { afterCommit, type Database, type Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { WebhookChange, WebhookTest, WebhookView, WebhookWithSecret } from "./schema.ts"
import type { SendEvent } from "./send-event.ts"
import { createWebhookSecret } from "./signature.ts"
import type { StoredWebhook, WebhookStore } from "./store.ts"

/** What is sent; `type` is `<noun>.<what happened>`. */
export interface WebhookEvent {
  type: string
  data: Record<string, unknown>
}

interface Deps {
  db: Database
  store: WebhookStore
  audit: Audit
  secrets: Pick<Secrets, "seal">
  sendEvent: SendEvent
  /** Sends what is due. */
  deliver: () => void
  signal: AbortSignal
  newId: () => string
  nowMs: () => number
}

const lock = "webhook"
const testType = "webhook.test"
const toSeconds = (ms: number): number => Math.floor(ms / 1000)

const failMissing = (): never => fail("not_found", "No webhook is set up.")

const toLastDelivery = (webhook: StoredWebhook): WebhookView["last_delivery"] => {
  const { last_type: type, last_ms: ms, last_status: status, last_error: error } = webhook
  return type === null || ms === null ? null : { type, at: toSeconds(ms), status, error }
}

/** Receivers often have credentials in the path or query, which are not for the audit log. */
const toAuditValues = ({ url }: Pick<StoredWebhook, "url">) => ({ origin: new URL(url).origin })

/** Where the gateway reports events; at most one address. */
export const createWebhooks = (deps: Deps) => {
  const { db, store, audit, secrets, sendEvent, deliver, signal, newId, nowMs } = deps

  const view = async (): Promise<WebhookView> => {
    const [webhook, waiting] = [await store.find(), await store.countEvents()]
    return {
      url: webhook?.url ?? null,
      secret_created_at: webhook && toSeconds(webhook.secretCreatedMs),
      last_delivery: webhook && toLastDelivery(webhook),
      waiting,
    }
  }

  const createBody = ({ type, data }: WebhookEvent, at: number): string =>
    JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })

  const newEventId = (): string => `msg_${newId()}`

  return {
    view,

    set: async (actor: Actor, { url }: WebhookChange): Promise<WebhookWithSecret> => {
      const secret = await db.transactLocked([lock], async (tx) => {
        const before = await store.find(tx)
        const secret = createWebhookSecret()
        const created = { sealedSecret: secrets.seal(secret), secretCreatedMs: nowMs() }
        await store.save(tx, { ...(before ?? created), url })
        await audit.record(tx, {
          ...{ actor, action: before ? "webhook.updated" : "webhook.created" },
          ...(before && { before: toAuditValues(before) }),
          after: toAuditValues({ url }),
        })
        return before ? null : secret
      })
      return { ...(await view()), secret }
    },

    replaceSecret: async (actor: Actor): Promise<WebhookWithSecret> => {
      const secret = createWebhookSecret()
      await db.transactLocked([lock], async (tx) => {
        const before = (await store.find(tx)) ?? failMissing()
        const sealedSecret = secrets.seal(secret)
        await store.save(tx, { url: before.url, sealedSecret, secretCreatedMs: nowMs() })
        await audit.record(tx, { actor, action: "webhook.secret_replaced" })
      })
      return { ...(await view()), secret }
    },

    remove: (actor: Actor): Promise<void> =>
      db.essential.transactLocked([lock], async (tx) => {
        const before = (await store.find(tx)) ?? failMissing()
        await store.remove(tx)
        const values = { before: toAuditValues(before) }
        await audit.record(tx, { actor, action: "webhook.deleted", ...values })
      }),

    test: async (actor: Actor): Promise<WebhookTest> => {
      const { url, sealedSecret } = (await store.find()) ?? failMissing()
      const startedAt = performance.now()
      const body = createBody({ type: testType, data: {} }, nowMs())
      const attempt = await sendEvent({ url, sealedSecret, id: newEventId(), body, signal })
      const duration_ms = Math.round(performance.now() - startedAt)
      await db.transact(async (tx) => {
        await store.saveTest(tx, testType, attempt, nowMs())
        await audit.record(tx, { actor, action: "webhook.tested", after: { ...attempt } })
      })
      return { ok: attempt.error === null, ...attempt, duration_ms }
    },

    /** Sends events after `tx` commits, until the receiver accepts them; none without a webhook. */
    send: async (tx: Tx, events: readonly WebhookEvent[]): Promise<void> => {
      if (events.length === 0 || !(await store.find(tx))) return
      const at = nowMs()
      const rows = events.map((event) => ({
        id: newEventId(),
        type: event.type,
        body: createBody(event, at),
        attempts: 0,
        due_ms: at,
        created_ms: at,
      }))
      await store.addEvents(tx, rows)
      afterCommit(tx, deliver)
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>
