import { expect, it, vi } from "vitest"
import { createEmbeddingGaps } from "./embedding-gaps.ts"

it("caches the gaps of an index across searches, and refreshes them while it is built", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  const gaps = new Map([
    ["new", ["a", "b"]],
    ["old", []],
  ])
  let lookups = 0
  const readGaps = createEmbeddingGaps({
    incompleteFileIds: async (index) => {
      lookups++
      return gaps.get(index) ?? []
    },
  })
  expect([...(await readGaps("new"))]).toEqual(["a", "b"])
  await readGaps("new")
  expect(lookups).toBe(1)
  gaps.set("new", ["b"])
  vi.advanceTimersByTime(6000)
  expect([...(await readGaps("new"))]).toEqual(["b"])
  expect([...(await readGaps("old"))]).toEqual([])
  gaps.set("old", ["c"])
  vi.advanceTimersByTime(6000)
  expect([...(await readGaps("old"))]).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect([...(await readGaps("old"))]).toEqual(["c"])
  vi.useRealTimers()
})
