// `npm run screenshots [-- name …]`: PNG files of every page at three widths, light and dark.
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { adminPages, furnish, reveal } from "./furnish.ts"
import { setup } from "./setup/build.ts"
import { openWorld, type Visit } from "./world.ts"

const widths = [360, 900, 1440] as const
const themes = ["light", "dark"] as const
const height = 900

const folder = process.env.SCREENSHOTS ?? join(tmpdir(), "portico-screenshots")
const wanted = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const shoot = async (visit: Visit, name: string, path: string): Promise<void> => {
  const { page, open } = visit
  if (wanted.length > 0 && !wanted.includes(name)) return
  await open(path)
  await reveal(visit, name)
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
const world = await openWorld({ ENABLE_SIGNUP: "true" })
const nobody = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
const empty = await openWorld(nobody)
const published = await openWorld({ ...nobody, PUBLIC_URL: "http://models.example.com" })
try {
  const outside = await world.visit()
  await shoot(outside, "sign-in", "/sign-in")
  await shoot(outside, "sign-up", "/sign-up")
  await shoot(await empty.visit(), "welcome", "/welcome")
  await shoot(await published.visit(), "welcome-setup-code", "/welcome")
  const admin = await world.asAdmin()
  for (const [name, path] of Object.entries(adminPages(await furnish(world.gateway)))) {
    await shoot(admin, name, path)
  }
} finally {
  await world.close()
  await empty.close()
  await published.close()
}
console.log(folder)
