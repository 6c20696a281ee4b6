// Prepares every script of package.json: installs missing dependencies and switches to Node 24.
// Plain JavaScript without dependencies, because it must run on Node 18 and later.
import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "")
const requiredMajor = 24

/** Prints a line of progress to stderr; stdout is reserved for the server log. */
export const say = (line) => process.stderr.write(`portico: ${line}\n`)

/** Prints a message and exits with code 1. */
export const exitWithError = (sentence) => {
  say(sentence)
  process.exit(1)
}

const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"))
  } catch {
    return undefined
  }
}

// Optional packages for this platform are required: they may be missing after an upgrade. Packages
// without a platform may be dependencies of one for another platform.
const isForThisPlatform = ({ os, cpu, libc }) =>
  os?.includes(process.platform) && (!cpu || cpu.includes(process.arch)) && !libc

const isOptional = (entry, dev) =>
  (entry.optional && !isForThisPlatform(entry)) ||
  entry.peer ||
  (!dev && (entry.dev || entry.devOptional))

// npm writes node_modules/.package-lock.json last and removes it first. If it is missing, an install
// was interrupted; if it differs, another package-lock.json was installed.
const isInstalled = ({ dev }) => {
  const wanted = readJson("package-lock.json")
  const found = readJson("node_modules/.package-lock.json")
  if (!found) return false
  if (!wanted) return true
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === "") return true
    const there = found.packages[path]
    if (!there) return isOptional(entry, dev)
    return there.version === entry.version && there.integrity === entry.integrity
  })
}

// Runs a child process with inherited stdio and forwards signals to it. Resolves with its exit code
// and the last forwarded signal.
const run = async (file, args, options = {}) => {
  const { spawn } = await import("node:child_process")
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, stdio: "inherit", ...options })
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
    let received
    const forward = (signal) => {
      received = signal
      child.kill(signal)
    }
    for (const signal of signals) process.on(signal, forward)
    const end = (code, signal) => {
      for (const name of signals) process.off(name, forward)
      if (signal) process.kill(process.pid, signal)
      resolve({ code: code ?? 1, received })
    }
    child.on("error", (error) => {
      say(`${file}: ${error.message}`)
      end(127)
    })
    child.on("exit", end)
  })
}

// The npm that started this script, on its own Node: `npm ci` removes the one in node_modules.
const npm = () => {
  const { npm_execpath: cli = "", npm_node_execpath: node } = process.env
  return /npm-cli\.[cm]?js$/.test(cli) ? [node || process.execPath, [cli]] : ["npm", []]
}

/** Runs npm and resolves with its exit code. After a forwarded signal, exits by the same signal. */
export const runNpm = async (args) => {
  const [file, first] = npm()
  const { code, received } = await run(file, [...first, "--loglevel=error", ...args])
  if (received) process.kill(process.pid, received)
  return code
}

/**
 * Installs the dependencies unless they match package-lock.json.
 * @param {{ dev: boolean }} packages whether development dependencies are required
 */
export const installDependencies = async (packages) => {
  if (isInstalled(packages)) return
  const command = existsSync(join(root, "package-lock.json")) ? "ci" : "install"
  say("installing the dependencies (once)")
  const everything = ["--include=dev", "--include=optional", "--ignore-scripts"]
  const code = await runNpm([command, ...everything, "--no-audit", "--no-fund"])
  if (code !== 0) {
    exitWithError(
      `could not install the dependencies: npm ${command} failed with exit code ${code}. ` +
        "Check that the package registry is reachable and the folder is writable, then try again.",
    )
  }
}

const versionOf = async (file) => {
  try {
    if (realpathSync(file) === process.execPath) return process.version
    const { execFileSync } = await import("node:child_process")
    return execFileSync(file, ["--version"], { encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return undefined
  }
}

const isNewEnough = (version) => Number(version?.slice(1).split(".")[0]) >= requiredMajor

const onPath = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.endsWith(join("node_modules", ".bin")))
    .map((folder) => join(folder, "node"))
    .filter((file) => existsSync(file))

/** Finds a Node 24: in the dependencies, else on the machine. Exits if there is none. */
export const findNode = async () => {
  const ours = join(root, "node_modules", ".bin", "node")
  const checked = []
  for (const file of new Set([ours, process.execPath, ...onPath()])) {
    const version = await versionOf(file)
    if (isNewEnough(version)) return file
    // If it does not run here (another libc), it would still precede the machine's Node in every script.
    if (file === ours && !version) rmSync(file, { force: true })
    checked.push(`${file} (${version ?? "does not run here"})`)
  }
  return exitWithError(
    `Node ${requiredMajor} or later is required, but was not found for ${process.platform}-${process.arch}. ` +
      `Checked ${checked.join(", ")}. Install Node ${requiredMajor} from https://nodejs.org, then try again.`,
  )
}

const nodeEnv = () => ({
  // Fewer glibc arenas save about 50 MB: each thread's arena is rarely returned to the system.
  MALLOC_ARENA_MAX: "2",
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compile"),
  ...process.env,
})

/** Loads the server once to fill the compile cache, which saves the first start a third of its time. */
export const compileServer = async () => {
  const load = ["--eval", 'import("./server/src/run.ts")']
  await run(await findNode(), load, { env: nodeEnv() })
}

/**
 * Runs Node 24 with these arguments. Replaces this process if Node supports `execve` (22.15, 23.11),
 * which preserves signals and the exit code; otherwise runs a child process.
 */
export const runOnNode24 = async (args) => {
  const node = await findNode()
  const env = nodeEnv()
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning")
    process.chdir(root)
    process.execve(node, [node, ...args], env)
  }
  process.exitCode = (await run(node, args, { env })).code
}
