import { afterAll, beforeAll, expect, it } from "vitest"
import { createPdf } from "../../server/test/files/make-documents.ts"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { findViolations } from "./find-violations.ts"

/** Prints one page for each body, in Chromium. */
const printPdf = async (bodies: readonly string[]): Promise<Buffer> => {
  const page = await app.browser.newPage()
  const sheets = bodies.map((body) => `<section>${body}</section>`).join("")
  const style = "section { break-after: page } p { font: 16px serif; width: 26em }"
  await page.setContent(`<html lang="de"><style>${style}</style>${sheets}</html>`)
  const bytes = await page.pdf({ format: "A4", tagged: true })
  await page.close()
  return bytes
}

const filler = (number: number): string =>
  `<h1>Kapitel ${number}</h1><p>${`In Kapitel ${number} liegen die Schiffe ruhig am Kai. `.repeat(25)}</p>`
/** Broken as a typesetter would, with a ligature. */
const passage =
  "<p>Der Leuchtturmwärter von Brunsbüttel zündet die Lam-<br>pen größerer Donaudampf&shy;schiffe um fünf Uhr an, was die Hafenbe-<br>hörde o\uFB03ziell bestätigt hat.</p>"
const markedText =
  /LeuchtturmwärtervonBrunsbüttel.*Lam-?penzündet|zündetdieLam-?pen.*bestätigthat\./

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const store = async (name: string, bytes: Uint8Array): Promise<string> => {
  const { body } = await upload(app.gateway, name, bytes, {
    query: "?process_in_background=false",
    type: "application/pdf",
  })
  return body.id
}

const pages = () => visit.page.getByRole("group", { name: /^Pages of / })
const sheets = () => pages().getByRole("group", { name: /^Page \d+ of/ })
const pageField = () => visit.page.getByRole("textbox", { name: "Page number" })
const expectPage = (number: number) =>
  expect.poll(() => pageField().inputValue(), { timeout: 10_000 }).toBe(String(number))
const withoutSpaces = (texts: string[]): string => texts.join("").replaceAll(/\s/g, "")

const ask = async (collection: string, question: string): Promise<void> => {
  const { page, open } = visit
  await open(`/knowledge/${collection}`)
  await page.getByRole("button", { name: "Chat with this collection" }).click()
  await page.getByRole("list", { name: "Attached" }).getByText("Hafenbuch").waitFor()
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill(question)
  await composer.press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

it("opens a cited PDF at its page, with the passage marked in it", async () => {
  const { page } = visit
  const bodies = Array.from({ length: 60 }, (_, index) =>
    index === 41 ? filler(42) + passage : filler(index + 1),
  )
  const id = await store("hafenbuch.pdf", await printPdf(bodies))
  const collection = await createCollection(app.gateway, "Hafenbuch", [id])
  await ask(collection, "Wann zündet der Leuchtturmwärter von Brunsbüttel die Lampen an? [1]")
  await page
    .getByRole("button", { name: /^Source 1: hafenbuch.pdf/ })
    .first()
    .click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  await pane.locator("mark").first().waitFor()
  expect(withoutSpaces(await pane.locator("mark").allInnerTexts())).toMatch(markedText)
  await expectPage(42)
  const sheet = pane.getByRole("group", { name: "Page 42 of 60" })
  await sheet.locator("canvas").waitFor()
  expect(await sheet.locator("mark").first().isVisible()).toBe(true)
  // The marks lie over the words of the picture, within the visible part of the document.
  const view = await pages().boundingBox()
  const mark = await pane.locator("mark").last().boundingBox()
  expect(mark?.y).toBeGreaterThan(view?.y ?? 0)
  expect((mark?.y ?? 0) + (mark?.height ?? 0)).toBeLessThan((view?.y ?? 0) + (view?.height ?? 0))

  expect(await findViolations(page)).toEqual([])

  await pane.getByRole("button", { name: "Show text" }).click()
  await pane.locator("mark").getByText("Leuchtturmwärter").waitFor()
  await pane.getByRole("button", { name: "Show pages" }).click()
  await pages().locator("mark").first().waitFor()

  await pane.getByRole("link", { name: "Open file" }).click()
  await page.waitForURL(/\/knowledge\/files\/.*at=/)
  await expectPage(42)
  await pages().locator("mark").first().waitFor()
  expect(visit.pageErrors).toEqual([])
})

it("shows 1,000 pages with few drawn at a time, by keyboard and by mouse", async () => {
  const { page, open } = visit
  const lines = Array.from({ length: 1000 }, (_, index) => `This is sheet number ${index + 1}`)
  // Large enough for the viewer to fetch parts of it.
  const bytes = createPdf(lines.map((line) => line.padEnd(1500)))
  const id = await store("thousand.pdf", bytes)
  const lengths: number[] = []
  page.on("response", (response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(response.request().headers().range ?? "")
    if (response.status() === 206 && range) lengths.push(Number(range[2]) - Number(range[1]) + 1)
  })
  await open(`/knowledge/files/${id}`)
  await sheets().first().locator("canvas").waitFor()
  expect(lengths.length).toBeGreaterThan(1)
  expect(Math.max(...lengths)).toBeLessThan(bytes.length)
  await pageField().fill("777")
  await pageField().press("Enter")
  await pages().getByText("This is sheet number 777").waitFor()
  await expectPage(777)
  await pages().focus()
  await page.keyboard.press("ArrowRight")
  await expectPage(778)
  await page.getByRole("button", { name: "Previous page" }).click()
  await expectPage(777)
  const widthOf = async () => (await sheets().first().boundingBox())?.width ?? 0
  await page.getByRole("button", { name: "Fit width" }).click()
  await page.locator("[aria-pressed=true]").waitFor()
  const fitted = await widthOf()
  await pages().focus()
  await page.keyboard.press("+")
  expect(await widthOf()).toBeGreaterThan(fitted * 1.2)
  await expectPage(777)
  await page.getByRole("button", { name: "Fit width" }).click()
  await expect.poll(widthOf).toBe(fitted)
  // Scroll through a part: pages left behind are freed.
  for (let step = 0; step < 20; step++) await page.mouse.wheel(0, 2000)
  await pages().focus()
  await page.keyboard.press("End")
  await pages().getByText("This is sheet number 1000").waitFor()
  expect(await sheets().count()).toBeLessThan(8)
  expect(await page.locator("canvas").count()).toBeLessThan(8)
  const href = await page.getByRole("link", { name: "Download" }).last().getAttribute("href")
  expect(href).toBe(`/api/v1/files/${id}/content`)
  expect(visit.pageErrors).toEqual([])
})

it("opens a short document at its page", async () => {
  const bytes = createPdf(Array.from({ length: 5 }, (_, index) => `Chapter ${index + 1}`))
  const id = await store("short.pdf", bytes)
  const { body } = await app.gateway.call("GET", `/api/v1/files/${id}/data/content`)
  await visit.open(`/knowledge/files/${id}?at=${body.content.indexOf("Chapter 4")}`)
  await expectPage(4)
  await pages().getByText("Chapter 4").waitFor()
})

it("fits each page into the view, whatever its size", async () => {
  const { page, open } = visit
  const boxes = ["[0 0 600 800]", "[0 0 980 600]", "[0 0 300 400]"]
  const text = createPdf(["Portrait sheet", "Landscape sheet", "Small sheet"])
    .toString("latin1")
    .replaceAll("[0 0 600 800]", () => boxes.shift() ?? "")
  const id = await store("mixed.pdf", Buffer.from(text, "latin1"))
  await page.setViewportSize({ width: 360, height: 1600 })
  try {
    await open(`/knowledge/files/${id}`)
    await sheets().nth(2).locator("canvas").waitFor()
    const widths = async () => {
      const found = await sheets().all()
      return Promise.all(found.map(async (sheet) => (await sheet.boundingBox())?.width))
    }
    const fitted = ((await pages().boundingBox())?.width ?? 0) - 24
    await expect.poll(widths).toEqual([fitted, fitted, fitted])
    expect(await pages().evaluate((view) => view.scrollWidth - view.clientWidth)).toBe(0)

    await page.getByRole("button", { name: "Zoom in" }).click()
    await expect.poll(widths).toEqual([1.25, 1.25, 1.25].map((factor) => fitted * factor))
    expect(await pages().evaluate((view) => view.scrollWidth)).toBe(Math.ceil(fitted * 1.25) + 24)
  } finally {
    await page.setViewportSize({ width: 1280, height: 720 })
  }
})

it("runs no script of a document and follows none of its links", async () => {
  const { page, open } = visit
  const script = "/S/JavaScript/JS(app.alert\\('hi'\\); globalThis.hacked = 1;)"
  const link =
    "/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 600 800]/A<</S/URI/URI(javascript:hacked=1)>>>>]"
  const text = createPdf(["Harmless words"])
    .toString("latin1")
    .replace("/Type/Catalog", `/Type/Catalog/OpenAction<<${script}>>/AA<</WC<<${script}>>>>`)
    .replace("/Type/Page/", `/Type/Page/AA<</O<<${script}>>>>${link}/`)
  const dialogs: string[] = []
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const id = await store("scripted.pdf", Buffer.from(text, "latin1"))
  await open(`/knowledge/files/${id}`)
  await pages().getByText("Harmless words").waitFor()
  await sheets().first().locator("canvas").waitFor()
  await sheets().first().click()
  expect(await page.evaluate(() => "hacked" in globalThis)).toBe(false)
  expect(dialogs).toEqual([])
  expect(await pages().locator("a, iframe, input").count()).toBe(0)
  expect(visit.pageErrors).toEqual([])
})

it("says why a damaged or protected PDF is not shown, and shows its text if there is any", async () => {
  const { page, open } = visit
  const damaged = await store("damaged.pdf", Buffer.from("%PDF-1.7\nno objects at all"))
  await open(`/knowledge/files/${damaged}`)
  await page.getByText("This PDF is damaged, so its pages can't be shown.").waitFor()
  const locked = await store("locked.pdf", createPdf(["Secret"], { encrypted: true }))
  await open(`/knowledge/files/${locked}`)
  await page.getByText(/This PDF is password-protected, so its pages can't be shown/).waitFor()

  // Damaged after its text had been extracted.
  const id = await store("later.pdf", createPdf(["Words that were read before."]))
  await page.route(`**/${id}/content`, (route) => route.fulfill({ body: "%PDF-1.7 broken" }))
  await open(`/knowledge/files/${id}`)
  await page.getByText("This PDF is damaged, so its pages can't be shown.").waitFor()
  await page.getByText("Words that were read before.").waitFor()
})
