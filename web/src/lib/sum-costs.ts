import type { Message } from "./chat-api.ts"

export interface ChatCosts {
  /** What is known of it, in nano-dollars; null if nothing is. */
  cost: number | null
  /** The number of answers with tokens whose cost is not known. */
  unknown: number
}

/** What a chat's answers cost together, those in other branches included. */
export const sumCosts = (messages: readonly Message[]): ChatCosts => {
  let cost: number | null = null
  let unknown = 0
  for (const message of messages) {
    if (message.cost !== null) cost = (cost ?? 0) + message.cost
    else if (message.state !== "running" && message.tokens_out) unknown++
  }
  return { cost, unknown }
}
