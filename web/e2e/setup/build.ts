import { execFileSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** The tests look at the page as it is built from what is here now. */
export const setup = (): void => {
  execFileSync(process.execPath, ["scripts/start.mjs", "--build"], { cwd: root, stdio: "inherit" })
}
