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

  it("is not found if it is gone or too short", async () => {
    expect(await locate(filler, passage)).toBeNull()
    expect(await locate(filler, "No – te!")).toBeNull()
    expect(await locate("", passage)).toBeNull()
  })
})
