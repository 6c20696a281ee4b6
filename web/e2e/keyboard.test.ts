import type { CDPSession, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isLongForm } from "../../server/test/harness/short-and-long-form.ts"
import { adminPages } from "./admin-pages.ts"
import { seed } from "./seed.ts"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"
import { waitForLoaded } from "./wait-for-loaded.ts"

let app: TestApp
let pages: Record<string, string> = {}
beforeAll(async () => {
  app = await startTestApp({ ENABLE_SIGNUP: "true" })
  pages = adminPages(await seed(app.gateway))
})
afterAll(() => app.close())

/** Every element that Tab should reach, in document order; one per radio group. */
const tabStopsScript = `
  window.stopsOf = () => {
    const found = [...document.querySelectorAll(
      "a[href], button, input, select, textarea, summary, [tabindex='0']")]
    const groups = new Set()
    return found.filter((element) => {
      if (element.disabled || element.tabIndex < 0 || !element.checkVisibility()) return false
      if (element.closest("[inert], [aria-hidden=true], details:not([open]) > :not(summary)")) return false
      if (element.type !== "radio" || !element.name) return true
      const first = !groups.has(element.name)
      groups.add(element.name)
      return first
    })
  }
  window.named = (element) =>
    element.tagName.toLowerCase() + ":" + (element.getAttribute("aria-label") || element.id || element.textContent).trim().slice(0, 40)
`

/**
 * Collects the focused element after each Tab: whether its focus indicator is visible and nothing
 * covers it.
 */
const visitsScript = `
  const stops = window.stopsOf()
  const indexIn = (stops, element) =>
    stops.findIndex((stop) => stop === element || (stop.name && stop.name === element.name && stop.type === "radio"))
  const describeFocused = () => {
  const element = document.activeElement
  if (!element || element === document.body) return null
  // A code editor shows the focus on its outer frame.
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest(".cm-editor") ?? element)
  const { left, top, width, height } = element.getBoundingClientRect()
  const x = left + Math.min(width / 2, 40)
  const y = top + Math.min(height / 2, 20)
  const over = document.elementFromPoint(x, y)
  const clear = !over || element.contains(over) || over.contains(element) || over.closest("label")?.control === element
  const at = indexIn(stops, element)
  return {
    // An element may have been created meanwhile.
    at: at === -1 ? indexIn(window.stopsOf(), element) : at,
    name: window.named(element),
    // The composer shows the focus on its frame.
    marked: element.id === "composer" || (outlineStyle !== "none" && parseFloat(outlineWidth) > 0),
    inView: top > -height && top < innerHeight,
    clear,
    inEditor: element.closest(".cm-editor") !== null,
  }
  }
  window.visits = []
  addEventListener("keyup", ({ key }) => {
    if (key === "Tab") window.visits.push(describeFocused())
  }, true)
`

/** Month, day, year, and the button that opens a calendar. */
const stopsInDateField = 4

interface Stop {
  at: number
  name: string
  marked: boolean
  inView: boolean
  clear: boolean
  inEditor: boolean
}

const problemsWith = ({ name, marked, inView, clear }: Stop): string[] => [
  ...(marked ? [] : [`${name}: focus is not visible`]),
  ...(inView ? [] : [`${name}: is out of view`]),
  ...(clear ? [] : [`${name}: is covered by another element`]),
]

/** Presses Tab without waiting in between. */
const pressTab = async (keyboard: CDPSession, times: number): Promise<void> => {
  const tab = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 }
  const press = () => [
    keyboard.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...tab }),
    keyboard.send("Input.dispatchKeyEvent", { type: "keyUp", ...tab }),
  ]
  await Promise.all(Array.from({ length: times }, press).flat())
}

/** The elements that Tab reaches, from the start of the page to its end, in this order. */
const visitStops = async (page: Page, maxStops: number): Promise<Stop[]> => {
  const keyboard = await page.context().newCDPSession(page)
  const hasEditor = (await page.locator(".cm-editor").count()) > 0
  const stops: Stop[] = []
  const isPastEnd = (stop: Stop | null | undefined): boolean =>
    !stop || stop.at === stops[0]?.at || stops.length > maxStops
  for (;;) {
    const times = hasEditor ? 1 : 16
    await pressTab(keyboard, times)
    const visits = await page.evaluate<(Stop | null)[]>("window.visits.splice(0)")
    for (let at = 0; at < times; at++) {
      const stop = visits[at]
      if (!stop || isPastEnd(stop)) {
        await keyboard.detach()
        return stops
      }
      stops.push(stop)
      // Tab indents in the editor; Escape makes the next Tab leave it, as the page explains.
      if (stop.inEditor) await page.keyboard.press("Escape")
    }
  }
}

/** Tabs through a page from start to end and returns the problems found. */
const tabThrough = async (page: Page): Promise<string[]> => {
  await page.evaluate(tabStopsScript)
  const wanted: string[] = await page.evaluate("window.stopsOf().map(window.named)")
  await page.evaluate(visitsScript)
  await page.evaluate("document.body.tabIndex = -1, document.body.focus()")
  const dateFields = await page.locator("input[type=date]").count()
  const stops = await visitStops(page, wanted.length + dateFields * stopsInDateField + 3)
  const order = stops.map(({ at }) => at)
  const wrong = stops.flatMap(problemsWith)
  const missed = wanted.filter((_, index) => !order.includes(index))
  if (missed.length > 0) wrong.push(`never reached: ${missed.join(", ")}`)
  if (order.some((at, index) => index > 0 && at < (order[index - 1] ?? 0))) {
    wrong.push(`not in reading order: ${order.join(" ")}`)
  }
  return wrong
}

const sample: (keyof ReturnType<typeof adminPages>)[] = [
  "chat-begun",
  "collection",
  "model-edit",
  "function-code",
  "users",
  "settings",
]

/** All pages in the long form, six different ones in the short form. */
const pagesToWalk = (): Record<string, string> =>
  isLongForm ? pages : Object.fromEntries(sample.map((name) => [name, pages[name] ?? ""]))

/**
 * Opens each menu with Enter and closes it with Escape.
 * @param checked names of the menus outside of `main`, which are the same on all pages
 */
const checkMenus = async (page: Page, checked: Set<string>): Promise<string[]> => {
  const wrong: string[] = []
  for (const trigger of await page.locator("button[aria-haspopup]:visible").all()) {
    const name = (await trigger.getAttribute("aria-label")) ?? (await trigger.innerText())
    if (checked.has(name)) continue
    if (await trigger.evaluate((element) => !element.closest("main"))) checked.add(name)
    await trigger.focus()
    await page.keyboard.press("Enter")
    const popup = page.locator("[role=menu]:visible, [role=listbox]:visible, [role=dialog]:visible")
    await popup.first().waitFor()
    await page.keyboard.press("Escape")
    await popup.first().waitFor({ state: "detached" })
    const back = await trigger.evaluate((element) => element === document.activeElement)
    if (!back) wrong.push(`${name}: does not restore the focus when closed`)
  }
  return wrong
}

const checkPages = async (
  { page, open }: BrowserSession,
  from: Record<string, string>,
): Promise<string[]> => {
  const wrong: string[] = []
  const menus = new Set<string>()
  for (const [name, path] of Object.entries(from)) {
    await open(path)
    await waitForLoaded(page)
    const found = [...(await tabThrough(page)), ...(await checkMenus(page, menus))]
    wrong.push(...found.map((text) => `${name}: ${text}`))
  }
  return wrong
}

describe("keyboard navigation", () => {
  it("reaches everything in reading order with a visible focus, and menus restore it", {
    timeout: 300_000,
  }, async () => {
    expect(await checkPages(await app.asAdmin(), pagesToWalk())).toEqual([])
  })

  it("keeps the focus on the scroll button after it scrolled to the end of a chat", async () => {
    const { page, open } = await app.asAdmin()
    await open(pages["chat-begun"] ?? "")
    await page.getByText("You said: And at Le Havre?").waitFor()
    const messages = page.getByRole("region", { name: "Messages" })
    await messages.press("Home")
    await expect.poll(() => messages.evaluate((box) => box.scrollTop)).toBe(0)
    const down = page.getByRole("button", { name: "Scroll to bottom" })
    await down.focus()
    await page.keyboard.press("Enter")
    const atEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) =>
      scrollTop + clientHeight > scrollHeight - 2
    await expect.poll(() => messages.evaluate(atEnd)).toBe(true)
    await page.evaluate(
      "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go())))",
    )
    expect(await down.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press("Tab")
    await down.waitFor({ state: "detached" })
    expect(await page.evaluate("document.activeElement?.tagName")).toBe("TEXTAREA")
  })

  it("moves the focus on when a chat leaves a list of the sidebar", async () => {
    const { page, open } = await app.asAdmin()
    for (const title of ["Last", "Moved", "Archived", "Deleted"]) {
      await app.gateway.call("POST", "/api/v1/chats/new", { title, models: ["gpt-fake"] })
    }
    await open("/models")
    const rows = page.getByRole("navigation", { name: "Chats" })
    const choose = async (title: string, action: string): Promise<void> => {
      await rows.getByRole("button", { name: `More actions for this chat: ${title}` }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("menuitem", { name: action }).press("Enter")
    }
    const expectFocusInSidebar = async (title: string): Promise<void> => {
      await rows.getByRole("link", { name: title }).waitFor({ state: "detached" })
      await expect
        .poll(() => rows.evaluate((list) => list.contains(document.activeElement)))
        .toBe(true)
    }
    await choose("Deleted", "Delete chat")
    await expectFocusInSidebar("Deleted")
    await choose("Archived", "Archive chat")
    await expectFocusInSidebar("Archived")
    await choose("Moved", "Move to project")
    const dialog = page.getByRole("dialog", { name: "Move to project" })
    await dialog.getByRole("combobox", { name: "Project" }).fill("Harbour")
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Move chat" }).press("Enter")
    await dialog.waitFor({ state: "detached" })
    await expectFocusInSidebar("Moved")
  })

  it("keeps the focus on the button that switches between versions of an answer", async () => {
    const { page, open } = await app.asAdmin()
    const { body } = await app.gateway.call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] })
    await app.gateway.call("POST", `/api/v1/chats/${body.id}/messages`, { content: "Ahoy" })
    await open(`/c/${body.id}`)
    await page.getByText("You said: Ahoy").waitFor()
    await page.getByRole("button", { name: "Regenerate" }).click()
    const previous = page.getByRole("button", { name: "Previous version" })
    const expectFocus = (name: string): Promise<void> =>
      expect.poll(() => page.evaluate("document.activeElement?.ariaLabel")).toBe(name)
    await previous.focus()
    await page.keyboard.press("Enter")
    await page.getByText("1/2").waitFor()
    await expectFocus("Previous version")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByText("2/2").waitFor()
    await expectFocus("Next version")

    const { body: chat } = await app.gateway.call("GET", `/api/v1/chats/${body.id}`)
    const first = chat.messages.find(({ role }: { role: string }) => role === "assistant")
    // As in another window.
    await app.gateway.call("POST", `/api/v1/chats/${body.id}`, { current_id: first.id })
    await page.getByText("1/2").waitFor()
    await expectFocus("Next version")
  })

  it("reaches everything on the pages before sign-in", async () => {
    const outside = { "sign-in": "/sign-in", "sign-up": "/sign-up" }
    const session = await app.openSession()
    await session.open("/sign-in")
    expect(await session.page.evaluate("document.activeElement?.type")).toBe("email")
    expect(await checkPages(session, outside)).toEqual([])
  })

  it("has shortcuts for a new chat, copying the last answer, and the theme", async () => {
    const { page, open, context } = await app.asAdmin()
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await open(pages["chat-begun"] ?? "")
    await page.getByText("You said: And at Le Havre?").waitFor()
    await page.keyboard.press("Control+Shift+c")
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe("You said: And at Le Havre?")
    const backgroundColor = () =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    const before = await backgroundColor()
    await page.keyboard.press("Control+Shift+l")
    await expect.poll(backgroundColor).not.toBe(before)
    await page.keyboard.press("Control+Shift+o")
    await page.waitForURL(`${app.gateway.url}/`)
    await page.keyboard.press("Control+/")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  it("moves the focus into the sidebar on a narrow page and restores it", async () => {
    const { page, open } = await app.asAdmin({ viewport: { width: 360, height: 740 } })
    await open("/models")
    const opener = page.getByRole("button", { name: "Open sidebar" })
    await opener.focus()
    await page.keyboard.press("Enter")
    const inside = "document.querySelector('#sidebar').contains(document.activeElement)"
    await expect.poll(() => page.evaluate(inside)).toBe(true)
    await page.keyboard.press("Escape")
    await expect
      .poll(() => opener.evaluate((element) => element === document.activeElement))
      .toBe(true)
  })
})
