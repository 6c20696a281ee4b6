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

/** A chat whose messages alternate between user and assistant. */
const chatOf = (texts: readonly string[], model: string) => {
  const messages = texts.map((content, index) => ({
    id: String(index),
    parent_id: index === 0 ? null : String(index - 1),
    role: index % 2 === 0 ? "user" : "assistant",
    model,
    content,
    created_at: 1,
  }))
  const current_id = String(texts.length - 1)
  return { title: "Bench", models: [model], current_id, messages, created_at: 1, updated_at: 1 }
}

/** Imports chats and returns their URLs. */
export const importChats = async (
  { context }: BrowserSession,
  url: string,
  chats: readonly (readonly string[])[],
  model = "essay",
): Promise<string[]> => {
  const data = { chats: chats.map((texts) => chatOf(texts, model)) }
  const reply = await context.request.post(`${url}/api/v1/chats/import`, { data })
  const { ids }: { ids: string[] } = await reply.json()
  return ids.map((id) => `${url}/c/${id}`)
}

/** Imports one chat and returns its URL. */
export const importChat = async (
  visit: BrowserSession,
  url: string,
  texts: readonly string[],
  model?: string,
): Promise<string> => (await importChats(visit, url, [texts], model))[0] ?? url
