import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { onTestFinished, TestRunner } from "vitest"
import { type FakeOllama, startFakeOllama } from "../../server/test/fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../../server/test/fakes/openai.ts"
import {
  adminEmail,
  adminPassword,
  startGateway,
  type TestGateway,
} from "../../server/test/harness/gateway.ts"
import { chromiumPath } from "./chromium.ts"

/**
 * The flag replaces Playwright's, whose features that matter here are repeated. The windows of
 * Chromium's own pages are never shown, but each session would load two of them.
 */
const disabledFeatures = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
  ...["AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"],
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter"],
  ...["NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"],
  "ThirdPartyStoragePartitioning",
]

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      `--disable-features=${disabledFeatures.join(",")}`,
      // Requests to any other host fail, which shows up in `pageErrors`.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  })

let sharedBrowser: Promise<Browser> | undefined

/** One browser for all files of a worker; it ends with the worker. */
const shareBrowser = (): Promise<Browser> => {
  sharedBrowser ??= launch()
  return sharedBrowser
}

export interface TestApp {
  gateway: TestGateway
  provider: FakeOpenAI
  runtime: FakeOllama
  browser: Browser
  /**
   * Opens a new browser context, which a test closes when it ends; `pageErrors` collects its errors.
   */
  openSession(options?: VisitOptions): Promise<BrowserSession>
  /** Like `openSession`, signed in as the administrator. */
  asAdmin(options?: VisitOptions): Promise<BrowserSession>
  close(): Promise<void>
}

interface VisitOptions {
  colorScheme?: "light" | "dark"
  viewport?: { width: number; height: number }
  locale?: string
}

export interface BrowserSession {
  page: Page
  context: BrowserContext
  /** Script errors, CSP violations, and requests to other hosts. */
  pageErrors: string[]
  open(path: string): Promise<void>
}

const collectPageErrors = (page: Page, origin: string): string[] => {
  const pageErrors: string[] = []
  page.on("pageerror", (error) => pageErrors.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) pageErrors.push(message.text())
  })
  page.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) pageErrors.push(`requested ${url}`)
  })
  return pageErrors
}

/** Starts a gateway with a fake runtime and a fake provider, and launches a browser. */
export const startTestApp = async (
  env: Record<string, string> = {},
  options: Parameters<typeof startGateway>[1] = {},
): Promise<TestApp> => {
  const provider = await startFakeOpenAI({ apiKey: "up-key" })
  const runtime = await startFakeOllama()
  const endpoints = {
    OPENAI_API_BASE_URLS: provider.url,
    OPENAI_API_KEYS: "up-key",
    OLLAMA_BASE_URLS: runtime.url,
  }
  const gateway = await startGateway({ ...endpoints, ...env }, options)
  const browser = await shareBrowser()
  const contexts = new Set<BrowserContext>()

  const openSession = async (options: VisitOptions = {}): Promise<BrowserSession> => {
    const context = await browser.newContext({
      locale: "en-US",
      // No color transition is captured half-way.
      reducedMotion: "reduce",
      ...options,
    })
    contexts.add(context)
    // The page of a test that has ended would react to every change of the later ones.
    if (TestRunner.getCurrentTest()) {
      onTestFinished(async () => {
        contexts.delete(context)
        await context.close()
      })
    }
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    const pageErrors = collectPageErrors(page, gateway.url)
    const open = async (path: string): Promise<void> => {
      await page.goto(gateway.url + path)
      await page.locator("h1, h2, textarea").first().waitFor()
    }
    return { page, context, pageErrors, open }
  }

  return {
    gateway,
    provider,
    runtime,
    browser,
    openSession,
    asAdmin: async (options) => {
      const adminVisit = await openSession(options)
      const data = { email: adminEmail, password: adminPassword }
      await adminVisit.context.request.post(`${gateway.url}/api/v1/auths/signin`, { data })
      return adminVisit
    },
    close: async () => {
      await Promise.all(Array.from(contexts, (context) => context.close()))
      await gateway.stop()
      await provider.close()
      await runtime.close()
    },
  }
}
