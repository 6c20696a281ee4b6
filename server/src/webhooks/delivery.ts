import type { SendEvent } from "./send-event.ts"
import type { StoredWebhook, WaitingEvent, WebhookStore } from "./store.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Pauses before an event is sent again; together almost a day, after which it is given up. */
const retryDelaysMs: readonly number[] = [
  ...[5 * second, 30 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 8 * hour, 8 * hour],
]
/** So that not all gateways of an outage send at once. */
const jitter = 0.2

/** Longer than an attempt can take. */
const leaseMs = minute
const maxParallel = 4

interface Deps {
  store: Pick<WebhookStore, "find" | "takeDue" | "saveAttempt" | "removeOrphans">
  sendEvent: SendEvent
  signal: AbortSignal
  nowMs: () => number
  delaysMs?: readonly number[]
}

/**
 * Sends what is due. An event is sent until it is accepted, so it may arrive twice, with the same
 * id; it is taken by one process at a time.
 */
export const createDelivery = (deps: Deps): (() => Promise<void>) => {
  const { store, sendEvent, signal, nowMs, delaysMs = retryDelaysMs } = deps
  const maxDelayMs = Math.max(leaseMs, ...delaysMs) * (1 + jitter)

  const dueAfter = (attempts: number): number | null => {
    const delay = delaysMs[attempts]
    return delay === undefined
      ? null
      : Math.round(nowMs() + delay * (1 + jitter * (Math.random() * 2 - 1)))
  }

  const deliver = async (
    { url, sealedSecret }: StoredWebhook,
    event: WaitingEvent,
  ): Promise<void> => {
    const { id, body, attempts } = event
    const attempt = await sendEvent({ url, sealedSecret, id, body, signal })
    const dueMs = attempt.error === null ? null : dueAfter(attempts)
    await store.saveAttempt(event, attempt, { at: nowMs(), dueMs })
  }

  const deliverDue = async (): Promise<void> => {
    while (!signal.aborted) {
      const at = nowMs()
      const times = { at, until: at + leaseMs, latest: at + maxDelayMs }
      const events = await store.takeDue({ ...times, max: maxParallel })
      if (events.length === 0) return
      const webhook = await store.find()
      if (!webhook) return store.removeOrphans()
      await Promise.all(events.map((event) => deliver(webhook, event)))
    }
  }

  let isRunning = false
  return async () => {
    // It takes what is added meanwhile.
    if (isRunning) return
    isRunning = true
    await deliverDue().finally(() => {
      isRunning = false
    })
  }
}
