import { describe, expect, it } from "vitest"
import { passageSnippet, stripMarkdown } from "./passage-text.ts"

describe("the readable text of a passage", () => {
  it.each([
    ["## Tides at **Brest**\n\nThe _tide_ turns.", "Tides at Brest\n\nThe _tide_ turns."],
    ["| Hour | Height |\n|---|--:|\n| 06:00 | 6.9 m |", "Hour · Height\n06:00 · 6.9 m"],
    ["- flood until *six*\n- ebb until `noon`", "• flood until six\n• ebb until noon"],
    ["```ts\nconst tide = 2 * 3 * 4\n```", "const tide = 2 * 3 * 4\n"],
    ["> See [the port](https://port.example)", "See the port"],
  ])("has no marks of the Markdown %j", (markdown, text) => {
    expect(stripMarkdown(markdown, "handbook.md")).toBe(text)
  })

  it("is unchanged for other files", () => {
    const text = "# Sum two numbers\nprint(2 ** 3 | 4)"
    expect(stripMarkdown(text, "sum.py")).toBe(text)
    expect(passageSnippet(text, "sum.py")).toBe(text)
  })

  it("begins after the headings, unless there is nothing else", () => {
    const passage = "# Handbook\n\n## Tides\n\nThe **tide** turns."
    expect(passageSnippet(passage, "handbook.md")).toBe("The tide turns.")
    expect(passageSnippet("# Handbook", "handbook.md")).toBe("Handbook")
  })
})
