import { describe, expect, it } from "vitest"
import { estimateTokens } from "../tokens.ts"
import { formatNameGroup, groupFileNames } from "./group-file-names.ts"

const list = async (names: readonly string[], maxTokens = 400) => {
  const groups = await groupFileNames(names, maxTokens)
  const lines = groups.map(formatNameGroup)
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  return { lines, count, tokens: estimateTokens(lines.join("\n")) }
}
const numbered = (count: number, nameOf: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => nameOf(n))

const topics = ["leave", "travel", "fire", "parking", "laptop", "canteen", "visits", "payroll"]
const kinds = ["plan.docx", "form.pdf", "faq.md", "list.xlsx", "law.pdf", "map.png", "log.txt"]
const ordinary = topics.flatMap((topic) => kinds.map((kind) => `${topic} ${kind}`))

describe("file names", () => {
  it("are all listed, in order, if they fit", async () => {
    expect(await list(ordinary)).toMatchObject({ lines: ordinary, count: ordinary.length })
  })

  it("that are equal are listed once, with their number", async () => {
    const { lines } = await list(["scan.pdf", "plan.docx", "scan.pdf", "scan.pdf"])
    expect(lines).toEqual(["scan.pdf (3 files)", "plan.docx"])
  })

  it("of a series are grouped, and the others are listed", async () => {
    const invoices = numbered(120, (n) => `invoice-2024-${String(n).padStart(4, "0")}.pdf`)
    const { lines, tokens, count } = await list([...ordinary.slice(0, 40), ...invoices])
    expect(lines).toEqual([...ordinary.slice(0, 40), "invoice-2024-*.pdf (120 files)"])
    expect(tokens).toBeLessThanOrEqual(400)
    expect(count).toBe(160)
  })

  it("of several series are grouped by year as long as that fits", async () => {
    const reports = numbered(2000, (n) => `Report ${2016 + (n % 10)}-${n}.xlsx`)
    const { lines, count } = await list(reports)
    expect(lines).toHaveLength(10)
    expect(lines[3]).toBe("Report 2019-*.xlsx (200 files)")
    expect(count).toBe(2000)
    expect((await list(reports, 20)).lines).toEqual(["Report *-*.xlsx (2000 files)"])
  })

  it("that do not fit are counted by kind", async () => {
    const names = numbered(
      200,
      (n) =>
        `${topics[n % 8]}${"abcdefghij"[n % 10]}${"xyzuv"[n % 5]} ${n.toString(36)}q.${n % 2 ? "pdf" : "docx"}`,
    )
    const { lines, tokens, count } = await list(names, 100)
    expect(lines.at(-1)).toMatch(/^further \.(pdf|docx) \(\d+ files\)$/)
    expect(tokens).toBeLessThanOrEqual(100)
    expect(count).toBe(200)
  })

  it.each([
    ["Chinese", numbered(2000, (n) => `休假制度第${n}版${"甲乙丙丁戊"[n % 5]}.docx`)],
    ["long", numbered(300, (n) => `${"long name ".repeat(19)}${n}`)],
    ["of digits", numbered(20_000, (n) => `${n * 7919}.pdf`)],
    ["of pairs of surrogates", numbered(500, (n) => `😀${"😁😂🤣"[n % 6]}${n}.txt`)],
    ["without an extension", numbered(3000, (n) => `${(n * 31).toString(36)} ${n}`)],
    ["of patterns", numbered(200, (n) => `*${"*".repeat(n)} # (2 files) ${n}`)],
  ])("that are %s never exceed the tokens", async (_what, names) => {
    for (const maxTokens of [400, 60, 0]) {
      const { tokens, count, lines } = await list(names, maxTokens)
      expect(count).toBe(names.length)
      expect(tokens).toBeLessThanOrEqual(Math.max(maxTokens, 30))
      expect(lines.every((line) => line.isWellFormed())).toBe(true)
    }
  })

  it("of 20,000 files are grouped without long delays", async () => {
    const names = numbered(20_000, (n) => `${topics[n % 8]}-${(n * 7919).toString(36)}.pdf`)
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 0)
    const { count, tokens } = await list(names)
    await new Promise((resolve) => setTimeout(resolve, 1))
    clearInterval(timer)
    expect([count, tokens <= 400]).toEqual([20_000, true])
    expect(longest).toBeLessThan(500)
  })
})
