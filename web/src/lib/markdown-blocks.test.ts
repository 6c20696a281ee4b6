import { describe, expect, it } from "vitest"
import { createBlockSplitter } from "./markdown-blocks.ts"

const text = `Intro with **bold**.

# Title

- one
- two

  with a paragraph

1. first
2. second

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
const x = 1

const y = 2
\`\`\`

> quote
> goes on

$$
x^2
$$

Costs $5 and $6, but $x$ and \\(y\\).

<script>alert(1)</script>

End.`

const raws = (blocks: readonly { raw: string }[]): string[] => blocks.map(({ raw }) => raw.trim())

describe("a growing text", () => {
  it("is split like the complete text, wherever its chunks end", () => {
    const whole = raws(createBlockSplitter()(text))
    for (const step of [1, 3, 7, 50]) {
      const cut = createBlockSplitter()
      let last: readonly { raw: string }[] = []
      for (let end = step; end < text.length + step; end += step) last = cut(text.slice(0, end))
      expect(raws(last), `in steps of ${step}`).toEqual(whole)
    }
  })

  it("keeps unchanged blocks identical, so that they do not re-render", () => {
    const cut = createBlockSplitter()
    const before = cut("one\n\ntwo\n\nthree\n\nfour")
    const after = cut("one\n\ntwo\n\nthree\n\nfour and more")
    expect(after.slice(0, 3).map((block, index) => block === before[index])).toEqual([
      true,
      true,
      true,
    ])
    expect(after[3]).not.toBe(before[3])
  })

  it("is split from the start if the text was replaced", () => {
    const cut = createBlockSplitter()
    cut("one\n\ntwo")
    expect(raws(cut("# other\n\ntext"))).toEqual(["# other", "text"])
  })
})
