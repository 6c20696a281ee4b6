import type { Page } from "playwright-core"

/** Resolves when no loading skeleton is left on the page. */
export const waitForLoaded = async (page: Page): Promise<void> => {
  // waitForFunction would poll with eval, which the page's CSP blocks.
  const skeleton = page.locator(
    "[role=status]:is([aria-label=Loading], [aria-label='Wird geladen'])",
  )
  while ((await skeleton.count()) > 0) await skeleton.first().waitFor({ state: "detached" })
}
