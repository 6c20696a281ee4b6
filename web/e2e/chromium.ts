import { existsSync } from "node:fs"

/** The browser that the tests drive. */
export const chromiumPath = process.env.TEST_CHROMIUM ?? "/usr/bin/chromium"

/** False on a machine without Chromium; CI must have it, so its tests fail there instead. */
export const runsBrowserTests = existsSync(chromiumPath) || Boolean(process.env.CI)
