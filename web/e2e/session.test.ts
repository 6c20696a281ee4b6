import type { BrowserContext, ConsoleMessage, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminEmail, adminPassword } from "../../server/test/harness/gateway.ts"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"
import { waitForLoaded } from "./wait-for-loaded.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const passwordOf = (name: string): string => `${name} has a password`

/** A browser in which a new user is signed in. */
const openAsUser = async (name: string) => {
  const user = await app.gateway.createUser(name)
  const session = await app.openSession()
  const data = { email: user.email, password: passwordOf(name) }
  await session.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  return { ...session, user }
}

const openSecondTab = async ({ context }: BrowserSession, path: string): Promise<Page> => {
  const tab = await context.newPage()
  tab.setDefaultTimeout(20_000)
  await tab.goto(app.gateway.url + path)
  await tab.locator("h1, h2, textarea").first().waitFor()
  return tab
}

const signOutIn = async (tab: Page, name: string): Promise<void> => {
  await tab.getByRole("button", { name, exact: true }).click()
  await tab.getByRole("menuitem", { name: "Sign out" }).click()
  await tab.getByRole("heading", { name: "Sign in" }).waitFor()
}

const dialogOf = (page: Page) => page.getByRole("alertdialog", { name: "Your session has ended" })

const signInAgain = async (page: Page, password: string): Promise<void> => {
  await dialogOf(page).getByLabel("Password", { exact: true }).fill(password)
  await page.keyboard.press("Enter")
}

const messageField = (page: Page) => page.getByLabel("Message", { exact: true })

describe("a session that ends in another tab", () => {
  it("asks to sign in again over the page, which keeps its draft and place", async () => {
    const session = await openAsUser("Grace")
    const { page, open, pageErrors } = session
    await open("/")
    await messageField(page).pressSequentially("A question half")
    const otherTab = await openSecondTab(session, "/models")
    await signOutIn(otherTab, "Grace")

    await dialogOf(page).waitFor()
    expect(await messageField(page).inputValue()).toBe("A question half")
    await signInAgain(page, "not the password")
    await dialogOf(page).getByText("The email address or password is incorrect").waitFor()
    await signInAgain(page, passwordOf("Grace"))
    await dialogOf(page).waitFor({ state: "detached" })
    await expect
      .poll(() => messageField(page).evaluate((field) => field === document.activeElement))
      .toBe(true)
    await page.keyboard.type(" written")
    await page.keyboard.press("Enter")
    await page.getByText("You said: A question half written").waitFor()
    expect(pageErrors).toEqual([])
  })

  it("continues in every tab when the user signs in again in one", async () => {
    const session = await openAsUser("Edsger")
    await session.open("/models")
    const otherTab = await openSecondTab(session, "/knowledge")
    const data = { email: session.user.email, password: passwordOf("Edsger") }
    await session.context.request.post(`${app.gateway.url}/api/v1/auths/signout`)
    await Promise.all([dialogOf(session.page).waitFor(), dialogOf(otherTab).waitFor()])
    await signInAgain(otherTab, data.password)
    await dialogOf(session.page).waitFor({ state: "detached" })
    await session.page.getByRole("heading", { name: "Models" }).waitFor()
  })

  it("reloads the page for another account, which sees nothing of the first", async () => {
    const session = await openAsUser("Barbara")
    const { page, open } = session
    const chat = await app.gateway.call(
      "POST",
      "/api/v1/chats/new",
      { title: "Known only to Barbara" },
      { key: session.user.key },
    )
    await open(`/c/${chat.body.id}`)
    await page.getByRole("link", { name: "Known only to Barbara" }).waitFor()
    const otherTab = await openSecondTab(session, "/models")
    await signOutIn(otherTab, "Barbara")
    await otherTab.getByLabel("Email").fill(adminEmail)
    await otherTab.getByLabel("Password", { exact: true }).fill(adminPassword)
    await otherTab.keyboard.press("Enter")

    await page.getByRole("link", { name: "Administration" }).waitFor()
    expect(await page.getByText("Known only to Barbara").count()).toBe(0)
    expect(await dialogOf(page).count()).toBe(0)
  })

  it("lets someone else sign in from the dialog", async () => {
    const session = await openAsUser("Kathleen")
    await session.open("/models")
    await session.context.request.post(`${app.gateway.url}/api/v1/auths/signout`)
    await dialogOf(session.page).getByRole("link", { name: "Sign in as someone else" }).click()
    await session.page.getByRole("heading", { name: "Sign in" }).waitFor()
  })
})

/** Without events, the page notices only when it sends a request. */
const withoutEvents = (context: BrowserContext): Promise<unknown> =>
  context.route("**/api/v1/events", (route) => route.abort())

describe("a password reset by an administrator", () => {
  it("keeps the draft, and sends a message after the user has signed in again", async () => {
    const { page, open, user, context, pageErrors } = await openAsUser("Niklaus")
    await withoutEvents(context)
    await open("/")
    await messageField(page).pressSequentially("Sent without a session")
    const changes = { password: "a password chosen anew" }
    await app.gateway.call("POST", `/api/v1/users/${user.id}/update`, changes)
    await page.keyboard.press("Enter")
    await dialogOf(page).waitFor()
    expect(await page.getByText("Send a valid API key").count()).toBe(0)
    await signInAgain(page, changes.password)
    await page.getByText("You said: Sent without a session").waitFor()
    expect(pageErrors).toEqual([])
  })

  it("interrupts the user, whose keys do not reach the password field", async () => {
    const { page, open, user } = await openAsUser("Donald")
    await open("/")
    await messageField(page).pressSequentially("A thought")
    const changes = { password: "a password chosen anew" }
    await app.gateway.call("POST", `/api/v1/users/${user.id}/update`, changes)
    await dialogOf(page).waitFor()
    await page.keyboard.type("x")
    expect(await dialogOf(page).getByLabel("Password", { exact: true }).inputValue()).toBe("")
    expect(await messageField(page).inputValue()).toBe("A thought")
  })

  it("lets a save that was refused continue by itself", async () => {
    const { page, open, user, context } = await openAsUser("Alan")
    await withoutEvents(context)
    await open("/account")
    await page.getByLabel("Name").fill("Alan Mathison")
    const changes = { password: "a password chosen anew" }
    await app.gateway.call("POST", `/api/v1/users/${user.id}/update`, changes)
    await page.keyboard.press("Control+s")
    await signInAgain(page, changes.password)
    await page.getByText("Saved", { exact: true }).waitFor()
    const { body } = await app.gateway.call("GET", `/api/v1/users/${user.id}`)
    expect(body.name).toBe("Alan Mathison")
  })
})

describe("an address without a page", () => {
  it("keeps the sidebar, and asks visitors to sign in", async () => {
    const { page, open } = await openAsUser("Katherine")
    for (const path of ["/nothing/here", "/admin"]) {
      await open(path)
      await page.getByRole("heading", { name: "Page not found" }).waitFor()
      await page.getByRole("navigation", { name: "Chats" }).waitFor()
    }
    const visitor = await app.openSession()
    await visitor.open("/nothing/here")
    await visitor.page.getByRole("heading", { name: "Sign in" }).waitFor()
  })
})

describe("the console", () => {
  const collectErrors = (page: Page): string[] => {
    const errors: string[] = []
    const note = (message: ConsoleMessage): void => {
      if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`)
    }
    page.on("console", note)
    page.on("pageerror", ({ message }) => errors.push(message))
    return errors
  }

  it("has no error at the first load, signed out and signed in", async () => {
    const visitor = await app.openSession()
    const errors = collectErrors(visitor.page)
    await visitor.open("/")
    await visitor.page.getByRole("heading", { name: "Sign in" }).waitFor()
    await waitForLoaded(visitor.page)
    const admin = await app.asAdmin()
    const adminErrors = collectErrors(admin.page)
    await admin.open("/")
    await messageField(admin.page).waitFor()
    await waitForLoaded(admin.page)
    expect([...errors, ...adminErrors]).toEqual([])
  })

  it("has no error in the first run", async () => {
    const empty = await startTestApp({ ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" })
    const visitor = await empty.openSession()
    const errors = collectErrors(visitor.page)
    await visitor.open("/")
    await visitor.page.getByRole("heading", { name: "Welcome to Portico" }).waitFor()
    await empty.close()
    expect(errors).toEqual([])
  })
})
