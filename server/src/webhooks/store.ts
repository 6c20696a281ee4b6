import type { Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { countRows } from "../db/paged-queries.ts"
import type { WebhookEventRow, WebhookRow } from "../db/webhook-tables.ts"
import type { EventAttempt } from "./send-event.ts"

const id = "webhook"

export type WaitingEvent = Selectable<WebhookEventRow>
type LastDelivery = Pick<WebhookRow, "last_type" | "last_ms" | "last_status" | "last_error">

export interface StoredWebhook extends LastDelivery {
  url: string
  sealedSecret: string
  /** Epoch ms. */
  secretCreatedMs: number
}

const toLastDelivery = (type: string, { status, error }: EventAttempt, at: number) => ({
  ...{ last_type: type, last_ms: at, last_status: status, last_error: error },
})

/** The webhook, and an outbox of events that it has not accepted yet. */
export const createWebhookStore = (db: Database) => {
  const toWebhook = (row: Selectable<WebhookRow>): StoredWebhook => {
    const { id: _id, sealed_secret: sealedSecret, secret_created_ms, ...others } = row
    return { ...others, sealedSecret, secretCreatedMs: secret_created_ms }
  }

  const deleteOldest = async (tx: Tx): Promise<void> => {
    await tx
      .deleteFrom("webhook_events")
      .where("id", "in", (query) =>
        query
          .selectFrom("webhook_events")
          .select("id")
          .orderBy("id", "desc")
          .limit(Number.MAX_SAFE_INTEGER)
          .offset(maxRows.webhookEvents),
      )
      .execute()
  }

  return {
    find: async (reader: Reader = db.read): Promise<StoredWebhook | null> => {
      const row = await reader.selectFrom("webhooks").selectAll().executeTakeFirst()
      return row ? toWebhook(row) : null
    },

    save: async (
      tx: Tx,
      {
        url,
        sealedSecret,
        secretCreatedMs,
      }: Pick<StoredWebhook, "url" | "sealedSecret" | "secretCreatedMs">,
    ): Promise<void> => {
      const values = {
        url,
        sealed_secret: sealedSecret,
        secret_created_ms: secretCreatedMs,
      }
      const none = { last_type: null, last_ms: null, last_status: null, last_error: null }
      await tx
        .insertInto("webhooks")
        .values({ id, ...values, ...none })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute()
    },

    remove: async (tx: Tx): Promise<void> => {
      await tx.deleteFrom("webhooks").execute()
      await tx.deleteFrom("webhook_events").execute()
    },

    /** Removes events that were added while the webhook was deleted: the next one gets its own only. */
    removeOrphans: async (): Promise<void> => {
      await db.essential.execute((writer) =>
        writer
          .deleteFrom("webhook_events")
          .where(({ not, exists, selectFrom }) => not(exists(selectFrom("webhooks").select("id"))))
          .execute(),
      )
    },

    countEvents: (reader: Reader = db.read): Promise<number> =>
      countRows(reader.selectFrom("webhook_events")),

    addEvents: async (tx: Tx, events: readonly WaitingEvent[]): Promise<void> => {
      await tx.insertInto("webhook_events").values(events).execute()
      await deleteOldest(tx)
    },

    /**
     * Takes events that are due, which are then due again at `until`: if the process ends before
     * it reports what became of them, they are sent again.
     * @param latest events that are due later were postponed while the clock was ahead
     */
    takeDue: async ({
      at,
      until,
      latest,
      max,
    }: {
      at: number
      until: number
      latest: number
      max: number
    }): Promise<WaitingEvent[]> => {
      const due = await db.read
        .selectFrom("webhook_events")
        .selectAll()
        .where(({ eb, or }) => or([eb("due_ms", "<=", at), eb("due_ms", ">", latest)]))
        .orderBy("due_ms")
        .orderBy("id")
        .limit(max)
        .execute()
      if (due.length === 0) return []
      return db.transactRelaxed(async (tx) => {
        const taken: WaitingEvent[] = []
        for (const event of due) {
          const [row] = await tx
            .updateTable("webhook_events")
            .set({ due_ms: until })
            .where("id", "=", event.id)
            // Another process may have taken it in the meantime.
            .where("due_ms", "=", event.due_ms)
            .returning("id")
            .execute()
          if (row) taken.push(event)
        }
        return taken
      })
    },

    /** @param dueMs when it is sent again; null if it is not */
    saveAttempt: (
      event: WaitingEvent,
      attempt: EventAttempt,
      { at, dueMs }: { at: number; dueMs: number | null },
    ): Promise<void> =>
      db.transactRelaxed(async (tx) => {
        if (dueMs === null)
          await tx.deleteFrom("webhook_events").where("id", "=", event.id).execute()
        else
          await tx
            .updateTable("webhook_events")
            .set({ due_ms: dueMs, attempts: event.attempts + 1 })
            .where("id", "=", event.id)
            .execute()
        await tx
          .updateTable("webhooks")
          .set(toLastDelivery(event.type, attempt, at))
          .execute()
      }),

    saveTest: async (tx: Tx, type: string, attempt: EventAttempt, at: number): Promise<void> => {
      await tx
        .updateTable("webhooks")
        .set(toLastDelivery(type, attempt, at))
        .execute()
    },
  }
}

export type WebhookStore = ReturnType<typeof createWebhookStore>
