// Builds the web interface if its sources have changed since the last build.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { exitWithError, root, runNpm, say } from "./launch.mjs"

const stamp = join(root, "node_modules", ".cache", "web-build")
const page = join(root, "web", "dist", "index.html")

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (["node_modules", "dist", "e2e"].includes(entry.name)) return []
    return entry.isDirectory() ? files(path) : [path]
  })

const fingerprintOf = (path) => {
  const { size, mtimeMs } = statSync(path)
  return `${path} ${size} ${mtimeMs}`
}

const sources = () =>
  [join(root, "package-lock.json"), ...files(join(root, "web"))]
    .filter((path) => existsSync(path))
    .map(fingerprintOf)
    .join("\n")

const isBuildable = () => {
  const path = join(root, "web", "package.json")
  return existsSync(path) && Boolean(JSON.parse(readFileSync(path, "utf8")).scripts?.build)
}

/** Whether the web interface must be built before it is served. */
export const isWebStale = () => {
  if (!isBuildable()) return false
  return !existsSync(page) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== sources()
}

/** Builds the web interface; exits with a message if that fails. */
export const buildWeb = async () => {
  say("building the web interface (once)")
  const before = sources()
  const code = await runNpm(["run", "build", "--workspace=web"])
  if (code !== 0)
    exitWithError(`could not build the web interface: exit code ${code}, see the output above.`)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, before)
}
