// Builds the web page when it is older than what it is made of.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { giveUp, root, runNpm, say } from "./launch.mjs"

const stamp = join(root, "node_modules", ".cache", "web-build")
const page = join(root, "web", "dist", "index.html")

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (["node_modules", "dist", "e2e"].includes(entry.name)) return []
    return entry.isDirectory() ? files(path) : [path]
  })

const state = (path) => {
  const { size, mtimeMs } = statSync(path)
  return `${path} ${size} ${mtimeMs}`
}

const sources = () =>
  [join(root, "package-lock.json"), ...files(join(root, "web"))]
    .filter((path) => existsSync(path))
    .map(state)
    .join("\n")

const buildable = () => {
  const path = join(root, "web", "package.json")
  return existsSync(path) && Boolean(JSON.parse(readFileSync(path, "utf8")).scripts?.build)
}

/** Whether the page must be built before it is served. */
export const webIsStale = () => {
  if (!buildable()) return false
  return !existsSync(page) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== sources()
}

/** Builds the page, or ends with a sentence. */
export const buildWeb = async () => {
  say("building the web page (once)")
  const before = sources()
  const code = await runNpm(["run", "build", "--workspace=web"])
  if (code !== 0) giveUp(`the web page could not be built: exit code ${code}, see above.`)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, before)
}
