import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, it } from "vitest"
import { createKeyedMutex, createMutex } from "./mutex.ts"

it("runs calls one at a time, in order, even after one that failed", async () => {
  const runExclusive = createMutex()
  const steps: string[] = []
  const run = (name: string): Promise<string> =>
    runExclusive(async () => {
      steps.push(`${name} begins`)
      await nextTurn()
      steps.push(`${name} ends`)
      if (name === "a") throw new Error("failed")
      return name
    })
  const outcomes = await Promise.allSettled(["a", "b", "c"].map(run))
  expect(outcomes).toMatchObject([{ status: "rejected" }, { value: "b" }, { value: "c" }])
  const inOrder = ["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`])
  expect(steps).toEqual(inOrder)
})

it("runs calls with different keys concurrently", async () => {
  const runExclusive = createKeyedMutex()
  const first = runExclusive("one", () => new Promise<void>(() => {}))
  const second = runExclusive("other", async () => "done")
  expect(await Promise.race([first, second])).toBe("done")
})
