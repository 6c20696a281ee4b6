import { expect, it } from "vitest"
import { createRandom } from "../../test/harness/random.ts"
import { createUserLimit } from "./user-limit.ts"

const createLimit = (perUser: number, total: number) =>
  createUserLimit({ what: "requests", variable: "MAX_REQUESTS", bounds: { perUser, total } })

it("enforces the limit per user without affecting others", () => {
  const limit = createLimit(2, 10)
  limit.reserve("bob")
  const release = limit.reserve("bob")
  expect(() => limit.reserve("bob")).toThrow(/at most 2 requests \(MAX_REQUESTS\)/)
  expect(() => limit.reserve("ada", 2)).not.toThrow()
  release()
  expect(() => limit.reserve("bob")).not.toThrow()
})

it("enforces the total limit", () => {
  const limit = createLimit(2, 3)
  limit.reserve("ada", 2)
  limit.reserve("bob")
  expect(() => limit.reserve("eve")).toThrow(/limit of 3 requests \(MAX_REQUESTS\)/)
})

it("sends retry-after", () => {
  const limit = createLimit(1, 1)
  limit.reserve("ada")
  expect(() => limit.reserve("ada")).toThrow(
    expect.objectContaining({ status: 429, details: { headers: { "retry-after": "5" } } }),
  )
})

it.each([1, 2, 3, 4, 5])(
  "counts exactly what is reserved, and 0 after all releases (seed %i)",
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
        // A request may end twice: the client disconnects, and the upstream fails.
        for (let times = 0; times <= pick(3); times++) ended?.release()
      }
      expect(limit.held()).toBe(heldOf())
      expect(limit.held(user)).toBe(heldOf(user))
    }
    for (const { release } of open) release()
    expect(limit.held()).toBe(0)
  },
)
