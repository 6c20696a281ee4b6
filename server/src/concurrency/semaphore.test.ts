import { describe, expect, it } from "vitest"
import { createRandom } from "../../test/harness/random.ts"
import { createSemaphore } from "./semaphore.ts"

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const createQueue = (limits: { perKey?: number; total?: number } = {}) => ({
  maxWaiting: limits.total ?? 1000,
  maxWaitingPerKey: limits.perKey ?? 1000,
  createBusyError: (pool: string): Error => new Error(`${pool} is busy`),
})

/** Starts calls that take one turn each, and records the order in which they ended. */
const createCalls = (semaphore: ReturnType<typeof createSemaphore>) => {
  const ended: string[] = []
  let running = 0
  let maxRunning = 0
  const run = (key: string, kind = ""): Promise<void> =>
    semaphore.run({ kind, key }, async () => {
      running++
      maxRunning = Math.max(maxRunning, running)
      await nextTurn()
      running--
      ended.push(key)
    })
  return { run, ended, maxRunning: () => maxRunning }
}

const repeat = <T>(times: number, start: (index: number) => T): T[] =>
  Array.from({ length: times }, (_, index) => start(index))

describe("a semaphore", () => {
  it("limits concurrency, separately for each pool", async () => {
    const semaphore = createSemaphore({ maxConcurrent: 3 })
    const { run, maxRunning } = createCalls(semaphore)
    await Promise.all(repeat(40, (index) => run(`${index % 7}`)))
    expect(maxRunning()).toBe(3)
    const all = repeat(4, (index) => semaphore.acquire({ pool: `${index}`, key: "bob" }))
    await expect(Promise.all(all)).resolves.toHaveLength(4)
  })

  it("takes turns among keys", async () => {
    const { run, ended } = createCalls(createSemaphore({ maxConcurrent: 1 }))
    const calls = ["bob", "bob", "bob", "ada", "eve", "ada", "bob"]
    await Promise.all(calls.map((key) => run(key)))
    expect(ended).toEqual(["bob", "ada", "eve", "bob", "ada", "bob", "bob"])
  })

  it("takes turns among kinds, however many keys each has", async () => {
    const { run, ended } = createCalls(createSemaphore({ maxConcurrent: 1 }))
    const flood = repeat(200, (index) => run(`address ${index}`, "sign-up"))
    await Promise.all([...flood, run("ada", "sign-in"), run("eve", "sign-in")])
    expect(ended.indexOf("ada")).toBeLessThan(2)
    expect(ended.indexOf("eve")).toBeLessThan(4)
  })

  it.each([
    {
      waiting: [
        ["eve", "sign-up"],
        ["ada", "sign-up"],
      ],
      next: "ada",
    },
    {
      waiting: [
        ["mia", "sign-up"],
        ["bob", "sign-in"],
        ["ada", "change"],
      ],
      next: "ada",
    },
  ])("prefers the kind, and within it the key, with the fewest slots: $next", async (calls) => {
    const semaphore = createSemaphore({ maxConcurrent: 4 })
    const entered: string[] = []
    const enter = async ([key = "", kind = ""]: string[]) => {
      const release = await semaphore.acquire({ key, kind })
      entered.push(key)
      return release
    }
    const running = [
      ["eve", "sign-up"],
      ["eve", "sign-up"],
      ["bob", "sign-in"],
      ["bob", "other"],
    ]
    const releases = await Promise.all(running.map(enter))
    for (const call of calls.waiting) void enter(call)
    releases.at(-1)?.()
    await nextTurn()
    expect(entered.slice(4)).toEqual([calls.next])
  })

  it("never gives more than its share to one key", async () => {
    const semaphore = createSemaphore({ maxConcurrent: 10, maxConcurrentPerKey: 8 })
    const bobs: string[] = []
    for (const _ of repeat(100, () => 0))
      void semaphore.acquire({ key: "bob" }).then(() => bobs.push("in"))
    await nextTurn()
    expect(bobs).toHaveLength(8)
    const ada = semaphore.acquire({ key: "ada" }).then(() => "in")
    expect(await Promise.race([ada, nextTurn()])).toBe("in")
  })

  it("rejects calls beyond the queue limit of a key", async () => {
    const { run } = createCalls(
      createSemaphore({ maxConcurrent: 1, queue: createQueue({ perKey: 2 }) }),
    )
    const all = await Promise.allSettled(repeat(5, () => run("bob")))
    const outcomes = all.map(({ status }) => status)
    expect(outcomes).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"])
  })

  it("rejects the newest call of the busiest key when the queue is full", async () => {
    const queue = createQueue({ total: 10 })
    const { run, ended } = createCalls(createSemaphore({ maxConcurrent: 1, queue }))
    const flood = Promise.allSettled(repeat(11, () => run("bob")))
    await expect(Promise.all([run("ada"), run("bob")])).rejects.toThrow("busy")
    const outcomes = (await flood).map(({ status }) => status)
    expect(outcomes).toEqual([...repeat(10, () => "fulfilled"), "rejected"])
    expect(ended).toContain("ada")
  })

  it("rejects a call that has waited too long, or whose client has disconnected", async () => {
    const queue = { ...createQueue(), maxWaitMs: 20 }
    const semaphore = createSemaphore({ maxConcurrent: 1, queue })
    const release = await semaphore.acquire({ key: "bob" })
    await expect(semaphore.acquire({ pool: "", key: "ada" })).rejects.toThrow(/busy/)
    const signal = AbortSignal.abort()
    await expect(semaphore.acquire({ key: "ada", signal })).rejects.toThrow(/disconnected/)
    release()
    await expect(semaphore.run({ key: "ada" }, async () => "in")).resolves.toBe("in")
  })

  it("releases a slot once, however often it is asked to", async () => {
    const semaphore = createSemaphore({ maxConcurrent: 2 })
    const release = await semaphore.acquire({ key: "bob" })
    await semaphore.acquire({ key: "mia" })
    release()
    release()
    await semaphore.acquire({ key: "ada" })
    expect(await Promise.race([semaphore.acquire({ key: "eve" }), nextTurn()])).toBeUndefined()
  })

  it.each([1, 2, 3])("releases all slots, however calls end (seed %i)", async (seed) => {
    const random = createRandom(seed)
    const semaphore = createSemaphore({
      maxConcurrent: 5,
      maxConcurrentPerKey: 4,
      queue: createQueue({ perKey: 20, total: 60 }),
    })
    const calls = repeat(400, async () => {
      const client = new AbortController()
      for (let pause = random() * 20; pause > 0; pause--) await nextTurn()
      if (random() < 0.3) setImmediate(() => client.abort())
      const [kind, key] = [`${Math.floor(random() * 3)}`, `${Math.floor(random() * 4)}`]
      const release = await semaphore.acquire({ kind, key, signal: client.signal })
      await nextTurn()
      release()
      if (random() < 0.5) release()
    })
    const outcomes = (await Promise.allSettled(calls)).map(({ status }) => status)
    expect(new Set(outcomes)).toEqual(new Set(["fulfilled", "rejected"]))
    const free = [...repeat(4, () => "ada"), "bob"].map((key) => semaphore.acquire({ key }))
    const all = Promise.all(free).then(() => "free")
    expect(await Promise.race([all, nextTurn().then(nextTurn)])).toBe("free")
    expect(await Promise.race([semaphore.acquire({ key: "eve" }), nextTurn()])).toBeUndefined()
  })
})
