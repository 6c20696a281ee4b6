import type { Page } from "playwright-core"

/** Resolves when nothing is being loaded any more. */
export const settled = async (page: Page): Promise<void> => {
  // A function given as text would be polled by eval, which the page's policy refuses.
  for (const skeleton of await page.locator("[role=status][aria-label=Loading]").all()) {
    await skeleton.waitFor({ state: "detached" })
  }
}
