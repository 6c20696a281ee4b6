import { CostSum } from "../../usage/cost-sum.ts"
import type { Message } from "../schema.ts"
import type { CollectedAnswer } from "./answer-collector.ts"

/** Null if neither is known. */
const sumKnown = (before: number | null, added: number | null): number | null =>
  before === null && added === null ? null : (before ?? 0) + (added ?? 0)

/**
 * Measures the run of a model that begins now, and adds it to what the answer has already taken: a
 * continued answer has several runs.
 */
export const trackGeneration = (message: Message) => {
  const { tokens_in, tokens_out, duration_ms, thinking_ms } = message
  const isFirstRun = duration_ms === null && message.content === "" && message.reasoning === ""
  const cost = new CostSum(isFirstRun ? 0 : message.cost)
  const wasEstimated = message.estimated && tokens_out !== null
  const startedAt = performance.now()
  let thinkingSince: number | null = null
  let isAnswering = false

  return {
    reportCost: cost.add,

    /** Call with each piece of text: the model thinks until its answer begins. */
    recordText: ({ content, reasoning }: { content: string; reasoning: string }): void => {
      if (reasoning !== "") thinkingSince ??= performance.now()
      if (thinkingSince !== null && !isAnswering) {
        const thought = Math.round(performance.now() - thinkingSince)
        message.thinking_ms = (thinking_ms ?? 0) + thought
      }
      if (content !== "") isAnswering = true
    },

    /** Sets the totals of the message. */
    finish: ({ tokens, chunks }: Pick<CollectedAnswer, "tokens" | "chunks">): void => {
      message.tokens_in = sumKnown(tokens_in, tokens?.tokens_in ?? null)
      message.tokens_out = sumKnown(tokens_out, tokens?.tokens_out ?? chunks)
      message.estimated = tokens === null || wasEstimated
      message.cost = cost.total
      message.duration_ms = (duration_ms ?? 0) + Math.round(performance.now() - startedAt)
    },
  }
}
