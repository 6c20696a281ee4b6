import type { Token } from "marked"
import { describe, expect, it } from "vitest"
import { toSpokenText } from "../pages/chat/spoken-text.ts"
import { createBlockSplitter } from "./markdown-blocks.ts"

const parse = (text: string) => createBlockSplitter()(text)

const childrenOf = (token: Token): readonly Token[] => {
  if (token.type === "list") return token.items
  return "tokens" in token && token.tokens ? token.tokens : []
}

/** Counted without recursion, which a deep tree would break. */
const depthOf = (text: string): number => {
  let level: readonly Token[] = parse(text).map(({ token }) => token)
  let depth = 0
  for (; level.length > 0; depth += 1) level = level.flatMap(childrenOf)
  return depth
}

const nestedList = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `${"  ".repeat(index)}- a\n`).join("")

const deepTexts: [string, string][] = [
  ["quotes", "> ".repeat(2000)],
  ["quotes without spaces", ">".repeat(20_000)],
  ["lists", "- ".repeat(1500)],
  ["numbered lists", `${"1. ".repeat(1500)}a`],
  ["quotes and lists", `${"> - ".repeat(1500)}a`],
  ["indented lists", nestedList(600)],
  ["emphasis", `${"*".repeat(5000)}a${"*".repeat(5000)}`],
  ["underscores", `${"_".repeat(5000)}a${"_".repeat(5000)}`],
  ["emphasis of words", `${"*a **b ".repeat(2000)}${"** *".repeat(2000)}`],
  ["struck text", `${"~~a ~b ".repeat(2000)}${"~ ~~".repeat(2000)}`],
  ["brackets", `${"[".repeat(5000)}a${"]".repeat(5000)}`],
  ["links", `${"[".repeat(5000)}a${"](http://a.example)".repeat(5000)}`],
  ["images", `${"![".repeat(5000)}a${"](b)".repeat(5000)}`],
  ["references", `[a]: b\n\n${"[".repeat(5000)}a${"][a]".repeat(5000)}`],
  ["HTML", `${"<div><b>".repeat(3000)}a${"</b></div>".repeat(3000)}`],
  ["emphasis in a table", `|a|\n|-|\n|${"*".repeat(5000)}a${"*".repeat(5000)}|`],
]

describe("deep nesting", () => {
  it.each(deepTexts)("is limited for %s, and nothing of the text is lost", (_, text) => {
    expect(depthOf(text)).toBeLessThan(250)
    const raw = parse(text).map((block) => block.raw)
    expect(raw.join("").length).toBeGreaterThanOrEqual(text.trim().length - 20)
    expect(() => toSpokenText(text)).not.toThrow()
  })

  it("that people write stays as it is", () => {
    expect(depthOf(`${"> ".repeat(20)}a`)).toBe(22)
    expect(depthOf(`${"- ".repeat(20)}a`)).toBe(42)
  })
})

const repeated = (part: string) => (length: number) =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length)

const longTexts: [string, (length: number) => string][] = [
  ...[
    ...[
      "a\u0301",
      "a",
      "[a](",
      "[",
      "![",
      "*",
      "*a ",
      "*a_ ",
      "_a ",
      "~~a ",
      "~",
      "`a``",
      "<",
      "<a ",
    ],
    ...[
      "<!--",
      "<![CDATA[",
      "<?",
      '<a b="',
      "</",
      "$",
      "$$a ",
      "$a ",
      "\\(a ",
      "\\[a ",
      "\\",
      "|",
      "|-",
    ],
    ...[
      "http://",
      "www.",
      "a@",
      "mailto:",
      "&",
      "&#",
      " ",
      "\t",
      "\n",
      "#",
      "=",
      "-",
      "a  \n",
      "a\n=\n",
    ],
    ...["a\n", "- a\n", "- a\n\n", "> a\n", "# a\n", "$$a b\n\n", "a$$\n", "\\[a\n\n", "a b\n\n"],
    ...["<div>\n", "```\n", "a|b\n-|-\n", "[a]: b\n", "    a\n", "- a\n\n      b\n", "- ", "* "],
  ].map((part): [string, (length: number) => string] => [JSON.stringify(part), repeated(part)]),
  ["a run before @", (length) => `${"a".repeat(length)}@`],
  ["a long address", (length) => `http://a.example/${"(".repeat(length)}`],
  ["spaces between words", (length) => `a${" ".repeat(length)}b`],
  ["an indented list", (length) => nestedList(Math.sqrt(length))],
  [
    "rows of a wide table",
    (length) =>
      `${"|a".repeat(length / 8)}\n${"|-".repeat(length / 8)}\n${"|\n".repeat(length / 4)}`,
  ],
]

/** The shortest of three times, in milliseconds of the processor: others use the machine too. */
const timeOf = (text: string): number => {
  const times = [1, 2, 3].map(() => {
    const start = process.threadCpuUsage()
    parse(text)
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Below this time, in milliseconds, a text is fast whatever the ratio. */
const fast = 400

it.each(longTexts)("%s takes a time that is proportional to the text's length", (_, create) => {
  const time = timeOf(create(80_000))
  if (time < fast) return
  // Squares would take 64 times as long.
  expect(time / timeOf(create(10_000))).toBeLessThan(32)
})

it("a table that is filled up with empty cells becomes text", () => {
  const wide = (columns: number, rows: number): string =>
    `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|b\n".repeat(rows)}`
  expect(parse(wide(2000, 2000))[0]?.token.type).not.toBe("table")
  expect(parse(wide(12, 30))[0]?.token.type).toBe("table")
})

it("a long text is cut only between blocks, and keeps its references", () => {
  const code = `\`\`\`ts\n${"const x = 1\n\n".repeat(3000)}\`\`\`\n`
  const prose = "Some words of a paragraph with [a link][far].\n\n".repeat(1000)
  const blocks = parse(`${prose}${code}\n${prose}\n[far]: http://a.example\n`)
  expect(blocks.filter(({ token }) => token.type === "code")).toHaveLength(1)
  expect(blocks.filter(({ token }) => token.type === "paragraph")).toHaveLength(2000)
  const first = blocks[0]?.token
  expect(first && childrenOf(first).map(({ type }) => type)).toEqual(["text", "link", "text"])
})

it("formulas between paragraphs are found as before", () => {
  const types = (text: string) => parse(text).map(({ token }) => token.type)
  expect(types("$$\na\n\nb\n$$\n\nend")).toEqual(["formula", "paragraph"])
  expect(types("\\[\na \\\\[4pt] b\n\\]\n\nend")).toEqual(["formula", "paragraph"])
  expect(types("so $$a$$\nend")).toEqual(["paragraph", "formula", "paragraph"])
})
