import { expect, it } from "vitest"
import { sumCosts } from "./sum-costs.ts"
import { createTestMessage } from "./test-message.ts"

const question = createTestMessage({ id: "question" })
const answer = (fields: Parameters<typeof createTestMessage>[0]) =>
  createTestMessage({ role: "assistant", parent_id: "question", tokens_out: 5, ...fields })

it("adds up the answers of every branch", () => {
  const messages = [question, answer({ id: "a", cost: 3 }), answer({ id: "b", cost: 4 })]
  expect(sumCosts(messages)).toEqual({ cost: 7, unknown: 0 })
})

it("counts answers whose price is not known, and does not call them free", () => {
  const unpriced = answer({ id: "a", cost: null })
  expect(sumCosts([question, unpriced])).toEqual({ cost: null, unknown: 1 })
  expect(sumCosts([unpriced, answer({ id: "b", cost: 4 })])).toEqual({ cost: 4, unknown: 1 })
  expect(sumCosts([answer({ id: "a", cost: 0 })])).toEqual({ cost: 0, unknown: 0 })
})

it("leaves out what no model wrote, and answers in progress", () => {
  const running = answer({ id: "a", cost: null, state: "running" })
  const edited = answer({ id: "b", cost: null, tokens_out: null, edited: true })
  expect(sumCosts([question, running, edited])).toEqual({ cost: null, unknown: 0 })
})
