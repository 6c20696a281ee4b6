// `npm run screenshots [-- --locale de-DE] [name …]`: PNG files of every page at three widths, light
// and dark, in English unless another locale is given.
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { adminPages } from "./admin-pages.ts"
import { expandPage, seed } from "./seed.ts"
import { setup } from "./setup/build.ts"
import { type BrowserSession, startTestApp } from "./test-app.ts"
import { waitForLoaded } from "./wait-for-loaded.ts"

const widths = [360, 900, 1440] as const
const themes = ["light", "dark"] as const
const height = 900

const folder = process.env.SCREENSHOTS ?? join(tmpdir(), "portico-screenshots")
const { values, positionals: requestedNames } = parseArgs({
  allowPositionals: true,
  options: { locale: { type: "string", default: "en-US" } },
})
const { locale } = values
mkdirSync(folder, { recursive: true })

const takeScreenshots = async (
  visit: BrowserSession,
  name: string,
  path: string,
): Promise<void> => {
  const { page, open } = visit
  if (requestedNames.length > 0 && !requestedNames.includes(name)) return
  await open(path)
  await waitForLoaded(page)
  await expandPage(visit, name)
  for (const width of widths) {
    // Tall enough to show everything that scrolls.
    await page.setViewportSize({ width, height })
    const tall = await page.evaluate(
      "Math.max(...[document.body, document.querySelector('main')].map((e) => e?.scrollHeight ?? 0))",
    )
    await page.setViewportSize({ width, height: Math.max(height, Number(tall)) })
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
    }
  }
}

setup()
const app = await startTestApp({ ENABLE_SIGNUP: "true" })
const noAdmin = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
const empty = await startTestApp(noAdmin)
const published = await startTestApp({ ...noAdmin, PUBLIC_URL: "http://models.example.com" })
try {
  const outside = await app.openSession({ locale })
  await takeScreenshots(outside, "sign-in", "/sign-in")
  await takeScreenshots(outside, "sign-up", "/sign-up")
  await takeScreenshots(await empty.openSession({ locale }), "welcome", "/welcome")
  await takeScreenshots(await published.openSession({ locale }), "welcome-setup-code", "/welcome")
  const admin = await app.asAdmin({ locale })
  for (const [name, path] of Object.entries(adminPages(await seed(app.gateway)))) {
    await takeScreenshots(admin, name, path)
  }
} finally {
  await app.close()
  await empty.close()
  await published.close()
  await app.browser.close()
}
console.log(folder)
