import { setTimeout as sleep } from "node:timers/promises"
import { adminKey, type Gateway } from "../measure/gateway.ts"
import type { Gateways } from "./gateways.ts"
import { model } from "./provider.ts"

const pauseMs = { admitted: 6000, rejected: 150, withoutGateway: 100 }

export interface ClientCounts {
  admitted: number
  rejected: number
  /** The gateway was killed, or its database had no answer. */
  failed: number
}

interface Options {
  gateways: Gateways
  clients: number
  requests: number
  maxTokens: number
}

/** Sends requests as clients do that have something else to do after each answer. */
export const runClients = async (options: Options): Promise<ClientCounts> => {
  const { gateways, clients, requests, maxTokens } = options
  const counts: ClientCounts = { admitted: 0, rejected: 0, failed: 0 }
  const messages = [{ role: "user", content: "Hello" }]
  const body = JSON.stringify({ model, messages, max_tokens: maxTokens })
  let left = requests

  const send = async ({ url }: Gateway): Promise<keyof ClientCounts> => {
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        ...{ method: "POST", body, headers: { authorization: `Bearer ${adminKey}` } },
      })
      await response.text()
      if (response.status === 429) return "rejected"
      return response.ok ? "admitted" : "failed"
    } catch {
      return "failed"
    }
  }

  const runClient = async (): Promise<void> => {
    await sleep(Math.random() * pauseMs.admitted)
    while (left > 0) {
      const gateway = gateways.choose()
      if (!gateway) {
        await sleep(pauseMs.withoutGateway)
        continue
      }
      left--
      const outcome = await send(gateway)
      counts[outcome]++
      const pause = outcome === "admitted" ? pauseMs.admitted : pauseMs.rejected
      await sleep((0.5 + Math.random()) * pause)
    }
  }

  await Promise.all(Array.from({ length: clients }, runClient))
  return counts
}
