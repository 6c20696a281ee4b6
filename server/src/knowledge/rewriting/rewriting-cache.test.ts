import { expect, it } from "vitest"
import { createRewritingCache, rewritingKey } from "./rewriting-cache.ts"

const queries = [{ kind: "standalone" as const, text: "When?", language: null }]

it("forgets entries after ten minutes, and the oldest of more than 500", () => {
  let now = 0
  const cache = createRewritingCache(() => now)
  cache.set("first", queries)
  now += 599_999
  expect(cache.get("first")).toBe(queries)
  now += 1
  expect(cache.get("first")).toBe(undefined)
  for (let at = 0; at < 501; at++) cache.set(`${at}`, queries)
  expect([cache.get("0"), cache.get("1"), cache.get("500")]).toEqual([undefined, queries, queries])
})

it("separates what differs in any part", () => {
  expect(rewritingKey(["ada", "m", ["a", "b"]])).not.toBe(rewritingKey(["ada", "m", ["a"], "b"]))
  expect(rewritingKey(["ada"])).toBe(rewritingKey(["ada"]))
})
