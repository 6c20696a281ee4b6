import { describe, expect, it } from "vitest"
import { exactDot, openCoarse, packCoarse, scanVectors, unit } from "./quantization.ts"
import { createVectorShelf } from "./vector-cache.ts"

let seed = 7
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647 - 0.5
}
const vectorOf = (dimensions: number): Float32Array =>
  unit(Float32Array.from({ length: dimensions }, random))
const coarse = (vectors: readonly Float32Array[]) => openCoarse(packCoarse(vectors), vectors.length)

describe("the vector cache", () => {
  it.each([16, 100, 384, 1536])("scores vectors of %i dimensions almost exactly", (dimensions) => {
    const shelf = createVectorShelf(1e8)
    const vectors = Array.from({ length: 200 }, () => vectorOf(dimensions))
    shelf.put("a", coarse(vectors))
    const query = vectorOf(dimensions)
    const hits = scanVectors([shelf.get("a", query)], 200)
    expect(hits).toHaveLength(200)
    for (const { passage, score } of hits) {
      const exact = exactDot(query, vectors[passage] ?? new Float32Array())
      expect(Math.abs(score - exact)).toBeLessThan(0.02)
    }
  })

  it("evicts the least recently used file and keeps the others intact", () => {
    const shelf = createVectorShelf(64 * 100 * 3)
    const files = Array.from({ length: 6 }, () => Array.from({ length: 100 }, () => vectorOf(64)))
    for (const [index, vectors] of files.entries()) {
      if (index === 3) shelf.get("0", vectorOf(64))
      shelf.put(String(index), coarse(vectors))
    }
    const query = vectorOf(64)
    const there = [...shelf.keys()]
    expect(there.length).toBeLessThanOrEqual(3)
    expect(there).toContain("5")
    for (const key of there) {
      const hits = scanVectors([shelf.get(key, query)], 1)
      const exact = (files[Number(key)] ?? []).map((vector) => exactDot(query, vector))
      expect(hits[0]?.score).toBeCloseTo(Math.max(...exact), 1)
    }
  })

  it("has no scores for a query with different dimensions", () => {
    const shelf = createVectorShelf(1e6)
    shelf.put("a", coarse([vectorOf(64)]))
    expect(shelf.get("a", vectorOf(32))).toBeNull()
    shelf.drop("a")
    expect(shelf.get("a", vectorOf(64))).toBeNull()
  })
})
