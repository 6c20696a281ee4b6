import { describe, expect, it } from "vitest"
import { locatePassage } from "./locate-passage.ts"

const takeTurn = (): Promise<void> => Promise.resolve()
const locate = (text: string, passage: string, near = 0) =>
  locatePassage(text, passage, { near, takeTurn })

const filler = "Nothing of note happens here. ".repeat(4000)
const passage = "The sailing regu-\nlations of 1894 apply to every vessel above twelve tons."

describe("a cited passage", () => {
  it("is found unchanged at the nearest of several places", async () => {
    const text = `${passage} ${filler}${passage}`
    const last = text.lastIndexOf(passage)
    expect(await locate(text, passage)).toEqual({ start: 0, end: passage.length })
    expect(await locate(text, passage, last - 100)).toEqual({ start: last, end: text.length })
  })

  it("is found with other spaces, hyphens and punctuation", async () => {
    const now = "The sailing regulations of 1894 apply  to every vessel, above twelve tons"
    const text = `${filler}${now}. ${filler}`
    const start = filler.length
    expect(await locate(text, passage, 10)).toEqual({ start, end: start + now.length })
  })

  it("is found by its beginning or its end", async () => {
    const long = `${passage} ${"Each word counts twice on deck. ".repeat(10)}Done at Kiel in the spring of the following year.`
    const beginning = `${filler}${passage} Now a table follows. ${filler}`
    expect((await locate(beginning, long))?.start).toBe(filler.length)
    const end = `${filler}in  another order: deck. Done at Kiel in the spring of the following year. ${filler}`
    const found = await locate(end, long)
    expect(found?.end).toBe(end.lastIndexOf(" year") + 5)
  })

  it("is found across the borders of what is searched at once", async () => {
    for (let shift = 0; shift < 60; shift += 7) {
      const text = `${"x ".repeat(25_000 - shift)}${passage.replace("-\n", "")} ${filler}`
      expect((await locate(text, passage))?.start).toBe(50_000 - 2 * shift)
    }
  })

  it("is found at the nearest place in other punctuation too, across searched pieces", async () => {
    const now = passage.replace("-\n", "")
    const gap = "Of no use. ".repeat(9000)
    const text = `${now} ${gap}${now} ${gap}${now}`
    for (let start = text.indexOf(now); start >= 0; start = text.indexOf(now, start + 1)) {
      expect((await locate(text, passage, start + 200))?.start).toBe(start)
    }
  })

  it("is found by its beginning if it is very long", async () => {
    const long = Array.from({ length: 9000 }, (_, n) => `Line ${n} of the log.`).join("\n")
    expect(await locate(`${filler}${long}`, long)).toEqual({
      start: filler.length,
      end: filler.length + long.length,
    })
    const spaced = long.replaceAll("\n", "\n\n")
    expect((await locate(`${filler}${spaced}`, long))?.start).toBe(filler.length)
  })

  it("takes linear time, in short turns, however often its parts repeat", async () => {
    const text = "a".repeat(2_000_000)
    const hostile = [`${"a".repeat(50_000)}b`, `b${"a".repeat(50_000)}`, "ab".repeat(25_000)]
    for (const [n, sought] of [
      ...hostile,
      `${"a".repeat(5000)}b`,
      `a b${" a".repeat(20)}`,
    ].entries()) {
      let turns = 0
      let longest = 0
      let last = performance.now()
      const options = {
        near: n * 300_000,
        takeTurn: () => {
          turns++
          longest = Math.max(longest, performance.now() - last)
          return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
            last = performance.now()
          })
        },
      }
      const startedAt = performance.now()
      await locatePassage(text, sought, options)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(longest).toBeLessThan(1000)
      expect(turns).toBeLessThan(100)
    }
  })

  it("is not found if it is gone or too short", async () => {
    expect(await locate(filler, passage)).toBeNull()
    expect(await locate(filler, "No – te!")).toBeNull()
    expect(await locate("", passage)).toBeNull()
  })
})
