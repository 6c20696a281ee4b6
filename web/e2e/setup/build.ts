import { execFileSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** Builds the web page from the current sources unless the build is up to date. */
export const buildWebPage = (): void => {
  // vitest's NODE_ENV would build React in development mode.
  const env = { ...process.env, NODE_ENV: "production" }
  const args = ["scripts/start.mjs", "--build"]
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit", env })
}

/** Run by vitest before the browser tests. */
export const setup = buildWebPage
