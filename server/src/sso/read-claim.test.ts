import { describe, expect, it } from "vitest"
import { readClaim } from "./read-claim.ts"

describe("reading a claim by its path", () => {
  it.each([
    ["a.b", { "a.b": 1, a: { b: 2 } }, 1],
    ["a.b.c", { a: { "b.c": 1 }, "a.b": { c: 2 } }, 2],
    ["a.b.c", { a: { "b.c": 1 }, "a.b": { d: 2 } }, 1],
    ["a.b", { "a.b": null, a: { b: 2 } }, 2],
    ["a..b", { a: { "": { b: 1 } } }, 1],
    ["a.b", { a: [{ b: 1 }, 2, { b: [3] }] }, [1, 3]],
    ["a.b", { a: [{ c: 1 }], ab: 1 }, undefined],
    ["a.toString", { a: {} }, undefined],
  ])("finds %s in %o", (path, claims, expected) => {
    expect(readClaim(claims, path)).toEqual(expected)
  })

  it("takes no longer for each dot of the path", () => {
    const claims = { groups: Array.from({ length: 20_000 }, () => ({ a: 1 })) }
    const fastestMs = (path: string): number =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const startedAt = performance.now()
          expect(readClaim(claims, path)).toBeUndefined()
          return performance.now() - startedAt
        }),
      )
    const manyDots = `groups${".a".repeat(97)}`
    expect(fastestMs(manyDots)).toBeLessThan(12 * fastestMs("groups.a.a"))
  })
})
