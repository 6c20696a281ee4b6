import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database } from "../db/database.ts"
import type { Transports } from "../outbound/transports.ts"
import type { Secrets } from "../secrets/secrets.ts"
import { createDelivery } from "./delivery.ts"
import { createSendEvent } from "./send-event.ts"
import { createWebhookStore } from "./store.ts"
import { createWebhooks } from "./webhooks.ts"

/** Events of this process are sent at once; this finds those of processes that ended. */
const defaultPollMs = 5000
const taskName = "deliver webhook events"

export interface WebhookOptions {
  webhookPollMs?: number
  /** Pauses before an event is sent again. */
  webhookRetryDelaysMs?: readonly number[]
}

interface Deps extends WebhookOptions {
  background: BackgroundTasks
  db: Database
  secrets: Secrets
  audit: Audit
  transports: Transports
  newId: () => string
  nowMs: () => number
}

/** Creates the webhook, and delivers its events in the background. */
export const createWebhookParts = (deps: Deps) => {
  const { background, db, webhookPollMs = defaultPollMs, webhookRetryDelaysMs } = deps
  const { signal } = background
  const store = createWebhookStore(db)
  const sendEvent = createSendEvent(deps)
  const deliverDue = createDelivery({
    ...{ ...deps, store, sendEvent, signal },
    ...(webhookRetryDelaysMs && { delaysMs: webhookRetryDelaysMs }),
  })
  background.every(webhookPollMs, taskName, deliverDue, { firstAfterMs: 0 })
  const deliver = (): void => void background.runInBackground(taskName, deliverDue)
  return { webhooks: createWebhooks({ ...deps, store, sendEvent, deliver, signal }) }
}
