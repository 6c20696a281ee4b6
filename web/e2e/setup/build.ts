import { execFileSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** Builds the page from what is here now, unless that has been done. */
export const buildWebPage = (): void => {
  // vitest's own NODE_ENV would put React's development build into the page.
  const env = { ...process.env, NODE_ENV: "production" }
  const args = ["scripts/start.mjs", "--build"]
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit", env })
}

/** The tests look at the page as it is built from what is here now. */
export const setup = buildWebPage
