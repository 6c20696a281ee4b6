import { expect, it } from "vitest"
import { toSpokenText } from "./spoken-text.ts"

it("speaks words without the signs that mark them up", () => {
  expect(toSpokenText("# A *title*\n\nSee **this** [page](https://x.org) and `x`.")).toBe(
    "A title\nSee this page and x.",
  )
})

it("speaks lists and tables line by line", () => {
  expect(toSpokenText("- one\n- two\n  - three")).toBe("one\ntwo\nthree")
  expect(toSpokenText("| a | b |\n|---|---|\n| 1 | **2** |")).toBe("a, b\n1, 2")
})

it("leaves out code blocks, HTML and citations", () => {
  expect(toSpokenText("Before\n\n```js\nx = 1\n```\n\n<b></b>\n\nAfter [1] and [2, 3].")).toMatch(
    /^Before\n+After {2}and {2}\.$|^Before\n+After +and +\.$/,
  )
})
