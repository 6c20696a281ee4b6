import { describe, expect, it } from "vitest"
import { createRandom } from "../../test/harness/random.ts"
import { createFairSemaphore } from "./fair-semaphore.ts"

const busy = (): Error => new Error("busy")

const begin = (limits: { atOnce: number; perKey?: number; total?: number }) => {
  const { atOnce, perKey = 100, total = 1000 } = limits
  const semaphore = createFairSemaphore({
    maxConcurrent: atOnce,
    maxWaiting: { perKey, total },
    busy,
  })
  const done: string[] = []
  let now = 0
  let max = 0
  const run = (kind: string, key: string): Promise<void> =>
    semaphore.run({ kind, key }, async () => {
      now++
      max = Math.max(max, now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      done.push(`${kind} ${key}`)
    })
  return { semaphore, run, done, max: () => max }
}

describe("fair semaphore", () => {
  it("limits concurrency", async () => {
    const { run, max, semaphore } = begin({ atOnce: 3 })
    await Promise.all(Array.from({ length: 40 }, (_, index) => run("sign-in", `${index % 7}`)))
    expect(max()).toBe(3)
    expect(semaphore.isIdle()).toBe(true)
  })

  it("serves keys round-robin", async () => {
    const { run, done } = begin({ atOnce: 1 })
    const all = [...Array.from({ length: 50 }, () => run("sign-in", "bob")), run("sign-in", "ada")]
    await Promise.all(all)
    expect(done.indexOf("sign-in ada")).toBeLessThan(3)
  })

  it("serves kinds round-robin, however many keys each has", async () => {
    const { run, done } = begin({ atOnce: 1 })
    const flood = Array.from({ length: 200 }, (_, index) => run("sign-up", `address ${index}`))
    await Promise.all([...flood, run("sign-in", "ada")])
    expect(done.indexOf("sign-in ada")).toBeLessThan(3)
  })

  it("rejects calls beyond the queue limit of a key", async () => {
    const { run } = begin({ atOnce: 1, perKey: 2 })
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => run("sign-in", "bob")))
    expect(all.map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"],
    ])
  })

  it("rejects a call of the busiest key when the queue is full", async () => {
    const { run, done } = begin({ atOnce: 1, total: 10 })
    const flood = Array.from({ length: 11 }, () => run("sign-up", "bob"))
    const settled = Promise.allSettled(flood)
    await run("sign-in", "ada")
    const refused = (await settled).filter(({ status }) => status === "rejected")
    expect(refused).toHaveLength(1)
    expect(done.filter((text) => text === "sign-up bob")).toHaveLength(10)
  })

  it.each([1, 2, 3])("is idle after all work has succeeded or failed (seed %i)", async (seed) => {
    const random = createRandom(seed)
    const semaphore = createFairSemaphore({
      maxConcurrent: 2,
      maxWaiting: { perKey: 5, total: 20 },
      busy,
    })
    const works = Array.from({ length: 500 }, async () => {
      for (let pause = random() * 40; pause > 0; pause--) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      const origin = { kind: `${Math.floor(random() * 3)}`, key: `${Math.floor(random() * 9)}` }
      return semaphore.run(origin, async () => {
        if (random() < 0.3) throw new Error("at once")
        await new Promise((resolve) => setImmediate(resolve))
        if (random() < 0.3) throw new Error("later")
      })
    })
    const ended = await Promise.allSettled(works)
    expect(ended.some(({ status }) => status === "fulfilled")).toBe(true)
    expect(semaphore.isIdle()).toBe(true)
    await expect(semaphore.run({ kind: "", key: "" }, async () => "free")).resolves.toBe("free")
  })
})
