import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { findViolations } from "./find-violations.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

/** The fake provider answers with the question. */
const answerWith = async (text: string): Promise<void> => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill(`Look:\n\n${text}`)
  await composer.press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
}
const answer = () => visit.page.locator("article[data-role=assistant]").last()

/** Clicks a button. @returns the name and contents of the file it downloads */
const download = async (name: string): Promise<{ name: string; bytes: Buffer }> => {
  const [file] = await Promise.all([
    visit.page.waitForEvent("download"),
    visit.page.getByRole("button", { name, exact: true }).first().click(),
  ])
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

const diagram = () => answer().getByRole("button", { name: "Enlarge diagram" })
/** Drawn as a data URL, which contains its colors. */
const diagramSource = async (): Promise<string> =>
  decodeURIComponent((await diagram().getByRole("img").getAttribute("src")) ?? "")

beforeEach(() => visit.page.emulateMedia({ colorScheme: "light" }))

it("downloads code with the extension of its language", async () => {
  await answerWith("```python\nprint('ä')\n```\n\nand\n\n```../../etc\nx\n```")
  await answer().locator("pre").nth(1).waitFor()
  const code = await download("Download code")
  expect(code.name).toBe("code.py")
  expect(code.bytes.toString()).toBe("print('ä')")
  await answer().getByRole("button", { name: "Download code" }).first().focus()
  const [second] = await Promise.all([
    visit.page.waitForEvent("download"),
    answer().getByRole("button", { name: "Download code" }).nth(1).press("Enter"),
  ])
  expect(second.suggestedFilename()).toBe("code.txt")
})

it("downloads tables as CSV without formulas, and copies them for spreadsheets", async () => {
  const { page, context } = visit
  await answerWith(
    '| **Port** | Depth, m | Note |\n|---|---|---|\n| Köln &amp; Bonn | -3.5 | =HYPERLINK("x") |\n| `a\\|b` | 4 | say "hi" |',
  )
  await answer().getByRole("table").waitFor()
  expect(await findViolations(page)).toEqual([])
  const { name, bytes } = await download("Download as CSV")
  expect(name).toBe("table.csv")
  expect(bytes.toString()).toBe(
    [
      'Port,"Depth, m",Note',
      `Köln & Bonn,-3.5,"'=HYPERLINK(""x"")"`,
      'a|b,4,"say ""hi"""',
      "",
    ].join("\r\n"),
  )
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  await answer().getByRole("button", { name: "Copy table" }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied.split("\n")[0]).toBe("Port\tDepth, m\tNote")
  expect(copied.split("\n")).toHaveLength(3)
})

it("draws diagrams in the page's colors, and again when the theme changes", async () => {
  const { page } = visit
  await answerWith("```mermaid\n%%{init: {'theme': 'forest'}}%%\ngraph LR\nA[Keel]-->B[Mast]\n```")
  await diagram().waitFor()
  const light = await diagramSource()
  expect(light).toContain("rgb(246, 246, 244)")
  await page.emulateMedia({ colorScheme: "dark" })
  await expect.poll(diagramSource).toContain("rgb(29, 29, 32)")
  await page.emulateMedia({ colorScheme: "light" })
  await expect.poll(diagramSource).toContain("rgb(246, 246, 244)")
  expect(visit.pageErrors).toEqual([])
})

it("enlarges a diagram by keyboard, zooms, downloads it, and returns the focus", async () => {
  const { page } = visit
  await answerWith("```mermaid\nsequenceDiagram\nAda->>Bob: Hoist the flag\n```")
  await diagram().focus()
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Diagram" })
  const widthOf = async () => (await dialog.getByRole("img").boundingBox())?.width ?? 0
  await dialog.getByRole("img").waitFor()
  const fitted = await widthOf()
  await page.keyboard.press("+")
  expect(await widthOf()).toBeGreaterThan(fitted * 1.2)
  await dialog.getByRole("button", { name: "Fit to window" }).click()
  expect(await widthOf()).toBe(fitted)
  expect(await findViolations(page)).toEqual([])
  const svg = await download("Download as SVG")
  expect(svg.name).toBe("diagram.svg")
  expect(svg.bytes.toString()).toMatch(/^<svg[\s\S]*Hoist the flag[\s\S]*<\/svg>$/)
  const png = await download("Download as PNG")
  expect(png.name).toBe("diagram.png")
  expect(png.bytes.subarray(1, 4).toString()).toBe("PNG")
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  expect(await diagram().evaluate((element) => element === document.activeElement)).toBe(true)
  await diagram().click()
  await dialog.getByRole("button", { name: "Close" }).click()
  await dialog.waitFor({ state: "detached" })
  expect(visit.pageErrors).toEqual([])
})
