import { describe, expect, it } from "vitest"
import { splitByCitation } from "./split-by-citation.ts"

const source = (file_id: string, cited?: boolean) => ({
  file_id,
  name: `${file_id}.txt`,
  start: 0,
  end: 1,
  score: 1,
  ...(cited !== undefined && { cited }),
})

describe("the sources of an answer", () => {
  it("keep their numbers when cited ones are separated from the others", () => {
    const { cited, others } = splitByCitation([
      source("a", false),
      source("b", true),
      source("c", true),
    ])
    expect(cited.map(({ number }) => number)).toEqual([2, 3])
    expect(others.map(({ number }) => number)).toEqual([1])
  })

  it("are not cited while the answer is being written or if the reader lacks access", () => {
    const { cited, others } = splitByCitation([source("a"), null])
    expect(cited).toEqual([])
    expect(others.map(({ number }) => number)).toEqual([1, 2])
  })
})
