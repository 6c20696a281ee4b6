import { describe, expect, it } from "vitest"
import { openQuantizedVectors, packQuantizedVectors } from "./quantization.ts"
import { scanVectors } from "./scan-vectors.ts"
import { createVectorCache } from "./vector-cache.ts"
import { dotProduct, toUnitVector } from "./vector-math.ts"

let seed = 7
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647 - 0.5
}
const vectorOf = (dimensions: number): Float32Array =>
  toUnitVector(Float32Array.from({ length: dimensions }, random))
const quantize = (vectors: readonly Float32Array[]) =>
  openQuantizedVectors(packQuantizedVectors(vectors), vectors.length)

describe("the vector cache", () => {
  it.each([16, 100, 384, 1536])("scores vectors of %i dimensions almost exactly", (dimensions) => {
    const cache = createVectorCache(1e8)
    const vectors = Array.from({ length: 200 }, () => vectorOf(dimensions))
    cache.put("a", quantize(vectors))
    const query = vectorOf(dimensions)
    const hits = scanVectors([cache.get("a", query)], 200)
    expect(hits).toHaveLength(200)
    for (const { passage, score } of hits) {
      const exact = dotProduct(query, vectors[passage] ?? new Float32Array())
      expect(Math.abs(score - exact)).toBeLessThan(0.02)
    }
  })

  it("evicts the least recently used file and keeps the others intact", () => {
    const cache = createVectorCache(64 * 100 * 3)
    const files = Array.from({ length: 6 }, () => Array.from({ length: 100 }, () => vectorOf(64)))
    for (const [index, vectors] of files.entries()) {
      if (index === 3) cache.get("0", vectorOf(64))
      cache.put(String(index), quantize(vectors))
    }
    const query = vectorOf(64)
    const cachedKeys = [...cache.keys()]
    expect(cachedKeys.length).toBeLessThanOrEqual(3)
    expect(cachedKeys).toContain("5")
    for (const key of cachedKeys) {
      const hits = scanVectors([cache.get(key, query)], 1)
      const exact = (files[Number(key)] ?? []).map((vector) => dotProduct(query, vector))
      expect(hits[0]?.score).toBeCloseTo(Math.max(...exact), 1)
    }
  })

  it("has no scores for a query with different dimensions", () => {
    const cache = createVectorCache(1e6)
    cache.put("a", quantize([vectorOf(64)]))
    expect(cache.get("a", vectorOf(32))).toBeNull()
    cache.drop("a")
    expect(cache.get("a", vectorOf(64))).toBeNull()
  })
})
