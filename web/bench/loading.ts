import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { type BenchSite, importChat } from "./bench-site.ts"
import type { Measurement } from "./measurements.ts"
import { createSampleAnswer } from "./sample-answer.ts"

const dist = join(import.meta.dirname, "../dist")
const loads = 5

/** Returns a function that gives the gzipped kB of scripts loaded since its last call. */
const trackScripts = (page: Page) => {
  const seen = new Set<string>()
  let fresh: string[] = []
  page.on("response", (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.endsWith(".js") || seen.has(pathname)) return
    seen.add(pathname)
    fresh.push(pathname)
  })
  return async (): Promise<number> => {
    await page.waitForLoadState("networkidle")
    const sizes = fresh.map((path) => gzipSync(readFileSync(dist + path), { level: 9 }).length)
    fresh = []
    return sizes.reduce((sum, size) => sum + size, 0) / 1000
  }
}

const formula = "Now $E = mc^2$."
const diagram = "```mermaid\ngraph LR\nA-->B\n```"

const measureScripts = async (site: BenchSite): Promise<Measurement[]> => {
  const visit = await site.openSession()
  const { page } = visit
  const kilobytes = trackScripts(page)
  const open = async (text: string): Promise<number> => {
    await page.goto(await importChat(visit, site.url, ["Hello", text]))
    await page.locator("article[data-role=assistant]").waitFor()
    return kilobytes()
  }
  await page.goto(site.url)
  await page.getByLabel("Message", { exact: true }).waitFor()
  const kB = { unit: "kB" }
  const marks = [
    { label: "JavaScript of the chat page, gzipped", value: await kilobytes(), ...kB, max: 200 },
    {
      label: "  added for Markdown and code",
      value: await open("**a**\n```ts\n1\n```"),
      ...kB,
    },
    { label: "  added for the first formula", value: await open(formula), ...kB },
    { label: "  added for the first diagram", value: await open(diagram), ...kB },
  ]
  await visit.context.close()
  return marks
}

/**
 * Records layout shifts without recent input; `written` marks those within the block that is still
 * growing.
 */
export const layoutShiftScript = `
  window.shifts = []
  const describe = (node) => node?.nodeType === 1 ? node.outerHTML.slice(0, 120) : node?.textContent
  const grows = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement
    const block = element?.closest(".markdown-group > *")
    return Boolean(block) && !block.nextElementSibling?.nextElementSibling
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue
      const nodes = entry.sources.map(({ node }) => node)
      const written = nodes.every(grows)
      window.shifts.push({ value: entry.value, written, moved: nodes.map(describe) })
    }
  }).observe({ type: "layout-shift", buffered: true })
`

interface LayoutShift {
  value: number
  written: boolean
  moved: string[]
}

/** Sums of the layout shifts since the page opened; logs which finished elements moved. */
export const readLayoutShifts = async (page: Page, where: string) => {
  const shifts: LayoutShift[] = await page.evaluate("window.shifts")
  const sums = { finished: 0, written: 0 }
  for (const { value, written, moved } of shifts) {
    sums[written ? "written" : "finished"] += value
    if (!written)
      process.stderr.write(`${where}: moved by ${value.toFixed(4)}: ${moved.join(" · ")}\n`)
  }
  return sums
}

const firstPaint = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime`

const measureLoad = async (site: BenchSite, path: string, shown: string) => {
  const paints: number[] = []
  const shifts: number[] = []
  for (let load = 0; load < loads; load++) {
    const { page, context } = await site.openSession()
    await page.addInitScript(layoutShiftScript)
    await page.goto(path)
    await page.locator(shown).first().waitFor()
    await page.waitForLoadState("networkidle")
    await page.waitForTimeout(300)
    paints.push(Number(await page.evaluate(firstPaint)))
    const { finished, written } = await readLayoutShifts(page, path)
    shifts.push(finished + written)
    await context.close()
  }
  return {
    paint: paints.toSorted((a, b) => a - b)[loads >> 1] ?? Number.NaN,
    shift: Math.max(...shifts),
  }
}

/** Script size, first contentful paint, and layout shift with an empty browser cache. */
export const measureLoading = async (site: BenchSite): Promise<Measurement[]> => {
  const marks = await measureScripts(site)
  const visit = await site.openSession()
  const chat = await importChat(visit, site.url, [
    "Tell me of tides",
    createSampleAnswer(600).join(""),
  ])
  await visit.context.close()
  const fresh = await measureLoad(site, `${site.url}/`, "textarea")
  const read = await measureLoad(site, chat, "article[data-role=assistant] table")
  return [
    ...marks,
    { label: "first contentful paint, new chat", value: fresh.paint, unit: "ms", max: 1000 },
    { label: "first contentful paint, a chat", value: read.paint, unit: "ms", max: 1000 },
    { label: "layout shift, new chat", value: fresh.shift, unit: "", max: 0 },
    { label: "layout shift, a chat", value: read.shift, unit: "", max: 0 },
  ]
}
