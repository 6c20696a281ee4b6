import { describe, expect, it } from "vitest"
import { createRandom } from "../../test/harness/random.ts"
import { createSemaphore } from "./semaphore.ts"

const { signal } = new AbortController()
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("semaphore", () => {
  it("never gives all slots to one user", async () => {
    const enter = createSemaphore(10)
    for (let run = 0; run < 100; run++) enter("slow", "bob", signal).catch(() => {})
    await turn()
    const ada = await Promise.race([enter("slow", "ada", signal).then(() => "in"), turn()])
    expect(ada).toBe("in")
  })

  it("prefers the user with the fewest active runs", async () => {
    const enter = createSemaphore(2)
    const done: string[] = []
    const leaves: (() => void)[] = []
    const come = (user: string): void => {
      void enter("slow", user, signal).then((leave) => {
        done.push(user)
        leaves.push(leave)
      })
    }
    for (const user of ["bob", "bob", "bob", "ada", "eve"]) come(user)
    await turn()
    while (leaves.length > 0) {
      leaves.shift()?.()
      await turn()
    }
    expect(done).toEqual(["bob", "ada", "eve", "bob", "bob"])
  })

  it("does not wait for a client that has disconnected", async () => {
    const enter = createSemaphore(1)
    const leave = await enter("slow", "bob", signal)
    await expect(enter("slow", "ada", AbortSignal.abort())).rejects.toThrow(/disconnected/)
    leave()
  })

  it("never fills the queue with one user's calls", async () => {
    const enter = createSemaphore(1)
    const leave = await enter("slow", "bob", signal)
    let refused = 0
    for (let run = 0; run < 200; run++) {
      enter("slow", "bob", signal).then(
        (next) => next(),
        () => refused++,
      )
    }
    await expect(enter("slow", "bob", signal)).rejects.toThrow(/busy/)
    const ada = enter("slow", "ada", signal)
    await turn()
    expect(refused).toBe(1)
    leave()
    await expect(ada).resolves.toBeTypeOf("function")
  })

  it.each([1, 2, 3])("releases all slots, however runs end (seed %i)", async (seed) => {
    const random = createRandom(seed)
    const enter = createSemaphore(5)
    const runs = Array.from({ length: 400 }, async () => {
      const left = new AbortController()
      for (let pause = random() * 20; pause > 0; pause--) await turn()
      if (random() < 0.3) setImmediate(() => left.abort())
      const leave = await enter("slow", `user ${Math.floor(random() * 4)}`, left.signal)
      await turn()
      leave()
      if (random() < 0.5) leave()
    })
    await Promise.allSettled(runs)
    const free = Array.from({ length: 4 }, () => enter("slow", "ada", signal))
    const all = Promise.all([...free, enter("slow", "bob", signal)])
    await expect(Promise.race([all.then(() => "free"), turn().then(turn)])).resolves.toBe("free")
  })
})
