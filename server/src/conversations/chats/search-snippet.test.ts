import { describe, expect, it } from "vitest"
import { createSearchSnippet, stripMarkdown } from "./search-snippet.ts"

const filler = "Lorem ipsum dolor sit amet consectetur. ".repeat(40)

describe("a search snippet", () => {
  it("begins a few words before the match, wherever that is in the text", () => {
    const snippet = createSearchSnippet(`${filler}The lighthouse answers. ${filler}`, "LIGHTHOUSE")
    expect(snippet).toMatch(/^….{0,30}lighthouse answers\. .+…$/)
    expect(snippet.length).toBeLessThan(150)
  })

  it("is the whole text if that is short", () => {
    expect(createSearchSnippet("The tide turns.", "tide")).toBe("The tide turns.")
  })

  it("contains the match if folding its case changes the length of the text", () => {
    const snippet = createSearchSnippet(`${"ß".repeat(500)} Die Straße am Hafen`, "STRASSE")
    expect(snippet).toContain("Straße")
  })

  it("keeps markup that is part of the match", () => {
    expect(
      createSearchSnippet("See [the port](https://port.example/tides)", "port.example"),
    ).toContain("https://port.example/tides")
  })

  it("is well-formed and complete for a match longer than the snippet", () => {
    const text = "ab ".repeat(200).trim()
    expect(createSearchSnippet(text, text)).toBe(text)
  })
})

it.each([
  ["## Tides at **Brest**", "Tides at Brest"],
  ["- [x] flood until *six*\n- [ ] ebb until `noon`", "flood until six ebb until noon"],
  ["| Hour | Height |\n|---|--:|\n| 06:00 | 6.9 m |", "Hour Height 06:00 6.9 m"],
  ["```ts\nconst tide = 1\n```", "const tide = 1"],
  ["> 1. See [the port](https://port.example) ![map](x.png)", "See the port map"],
  ["snake_case, 2 * 3 and _emphasis_", "snake_case, 2 * 3 and emphasis"],
  ["1\\. not a list", "1. not a list"],
])("removes the Markdown of %j", (markdown, text) => {
  expect(stripMarkdown(markdown)).toBe(text)
})
