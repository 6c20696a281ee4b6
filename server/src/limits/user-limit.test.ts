import { expect, it } from "vitest"
import { createRandom } from "../../bench/rag/figures.ts"
import { createUserLimit } from "./user-limit.ts"

const createLimit = (perUser: number, total: number) =>
  createUserLimit({ what: "requests", variable: "MAX_REQUESTS", bounds: { perUser, total } })

it("refuses one user more than theirs, and leaves others theirs", () => {
  const limit = createLimit(2, 10)
  limit.reserve("bob")
  const release = limit.reserve("bob")
  expect(() => limit.reserve("bob")).toThrow(/at most 2 requests \(MAX_REQUESTS\)/)
  expect(() => limit.reserve("ada", 2)).not.toThrow()
  release()
  expect(() => limit.reserve("bob")).not.toThrow()
})

it("refuses all users together more than the sum", () => {
  const limit = createLimit(2, 3)
  limit.reserve("ada", 2)
  limit.reserve("bob")
  expect(() => limit.reserve("eve")).toThrow(/limit of 3 requests \(MAX_REQUESTS\)/)
})

it("says when to try again", () => {
  const limit = createLimit(1, 1)
  limit.reserve("ada")
  expect(() => limit.reserve("ada")).toThrow(
    expect.objectContaining({ status: 429, details: { headers: { "retry-after": "5" } } }),
  )
})

it.each([1, 2, 3, 4, 5])(
  "never holds more than was reserved, and nothing at the end (seed %i)",
  (seed) => {
    const random = createRandom(seed)
    const pick = (below: number): number => Math.floor(random() * below)
    const bounds = { perUser: 20, total: 50 }
    const limit = createLimit(bounds.perUser, bounds.total)
    const open: { user: string; amount: number; release: () => void }[] = []
    const heldOf = (user?: string): number =>
      open.reduce((sum, one) => sum + (user === undefined || one.user === user ? one.amount : 0), 0)
    for (let step = 0; step < 20_000; step++) {
      const user = `user ${pick(6)}`
      const amount = 1 + pick(8)
      if (pick(2) === 0) {
        const fits = heldOf(user) + amount <= bounds.perUser && heldOf() + amount <= bounds.total
        if (fits) open.push({ user, amount, release: limit.reserve(user, amount) })
        else expect(() => limit.reserve(user, amount)).toThrow()
      } else {
        const [ended] = open.splice(pick(open.length), 1)
        // Some endings are told twice: the client left, and the upstream failed.
        for (let times = 0; times <= pick(3); times++) ended?.release()
      }
      expect(limit.held()).toBe(heldOf())
      expect(limit.held(user)).toBe(heldOf(user))
    }
    for (const { release } of open) release()
    expect(limit.held()).toBe(0)
  },
)
