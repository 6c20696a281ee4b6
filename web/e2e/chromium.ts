import { existsSync } from "node:fs"

export const chromiumPath = process.env.TEST_CHROMIUM ?? "/usr/bin/chromium"

/**
 * False on a machine without Chromium. True in CI, so that a missing browser fails the tests there.
 */
export const runsBrowserTests = existsSync(chromiumPath) || Boolean(process.env.CI)
