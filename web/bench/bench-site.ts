import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core"
import { startGatewayProcess } from "../../server/test/harness/gateway-process.ts"
import { launch } from "../e2e/test-app.ts"
import { startUpstream } from "./upstream.ts"

const account = { email: "bench@example.com", password: "a password for the bench" }

export interface BenchSite {
  url: string
  browser: Browser
  /** Opens a new, signed-in browser context with an empty cache. */
  openSession(): Promise<BrowserSession>
  close(): Promise<void>
}

export interface BrowserSession {
  page: Page
  context: BrowserContext
  cdp: CDPSession
}

interface BenchSiteOptions {
  tokens: number
  tokensPerSecond: number
}

/** Starts the gateway as `npm start` does, with a fake provider, and launches Chromium. */
export const startBenchSite = async ({
  tokens,
  tokensPerSecond,
}: BenchSiteOptions): Promise<BenchSite> => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-bench-web-"))
  const upstream = await startUpstream(tokens, tokensPerSecond)
  const gateway = await startGatewayProcess({
    env: {
      DATA_DIR: dataDir,
      ADMIN_EMAIL: account.email,
      ADMIN_PASSWORD: account.password,
      OLLAMA_BASE_URLS: ";",
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "sk-upstream",
    },
  })
  const browser = await launch()
  return {
    url: gateway.url,
    browser,
    openSession: async () => {
      const viewport = { width: 1440, height: 900 }
      const context = await browser.newContext({ viewport, locale: "en-US" })
      await context.request.post(`${gateway.url}/api/v1/auths/signin`, { data: account })
      const page = await context.newPage()
      const cdp = await context.newCDPSession(page)
      return { page, context, cdp }
    },
    close: async () => {
      await browser.close()
      await gateway.kill()
      upstream.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Imports a chat whose messages alternate between user and assistant; returns its URL. */
export const importChat = async (
  { context }: BrowserSession,
  url: string,
  texts: readonly string[],
) => {
  const messages = texts.map((content, index) => ({
    id: String(index),
    parent_id: index === 0 ? null : String(index - 1),
    role: index % 2 === 0 ? "user" : "assistant",
    model: "essay",
    content,
    created_at: 1,
  }))
  const chat = { title: "Bench", models: ["essay"], current_id: String(texts.length - 1), messages }
  const data = { chats: [{ ...chat, created_at: 1, updated_at: 1 }] }
  const reply = await context.request.post(`${url}/api/v1/chats/import`, { data })
  const { ids } = await reply.json()
  return `${url}/c/${ids[0]}`
}
