import type { Page } from "playwright-core"

/** Resolves when no loading skeleton is left on the page. */
export const waitForLoaded = async (page: Page): Promise<void> => {
  // waitForFunction would poll with eval, which the page's CSP blocks.
  for (const skeleton of await page.locator("[role=status][aria-label=Loading]").all()) {
    await skeleton.waitFor({ state: "detached" })
  }
}
