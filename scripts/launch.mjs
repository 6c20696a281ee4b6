// What every script of package.json stands on: dependencies that are installed, and a Node that is
// new enough. Plain JavaScript for old Nodes (18 and newer), with no dependency of its own.
import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "")
const wantedMajor = 24

/** One line about what is being done, on stderr: stdout belongs to the log of the server. */
export const say = (line) => process.stderr.write(`portico: ${line}\n`)

/** Ends with a sentence and exit code 1. */
export const giveUp = (sentence) => {
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

// Of optional packages those for this platform are wanted: after an upgrade they are missing. Those
// without a platform may belong to one that is for another.
const isForThisPlatform = ({ os, cpu, libc }) =>
  os?.includes(process.platform) && (!cpu || cpu.includes(process.arch)) && !libc

const optional = (entry, dev) =>
  (entry.optional && !isForThisPlatform(entry)) ||
  entry.peer ||
  (!dev && (entry.dev || entry.devOptional))

// npm writes node_modules/.package-lock.json last and removes it first: a missing one is an install
// that never ended, a differing one is an install of another package-lock.json.
const installed = ({ dev }) => {
  const wanted = readJson("package-lock.json")
  const found = readJson("node_modules/.package-lock.json")
  if (!found) return false
  if (!wanted) return true
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === "") return true
    const there = found.packages[path]
    if (!there) return optional(entry, dev)
    return there.version === entry.version && there.integrity === entry.integrity
  })
}

// Starts a child with our own input and output and hands it our signals; gives its exit code, and
// the signal that came meanwhile.
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

// The npm that runs us, under the Node it runs on: `npm ci` removes the one in node_modules.
const npm = () => {
  const { npm_execpath: cli = "", npm_node_execpath: node } = process.env
  return /npm-cli\.[cm]?js$/.test(cli) ? [node || process.execPath, [cli]] : ["npm", []]
}

/** Runs npm; gives its exit code. A signal ends this process once npm has ended. */
export const runNpm = async (args) => {
  const [file, first] = npm()
  const { code, received } = await run(file, [...first, "--loglevel=error", ...args])
  if (received) process.kill(process.pid, received)
  return code
}

/**
 * Installs the dependencies, if they are not there as package-lock.json names them.
 * @param {{ dev: boolean }} packages whether those for development must be there too
 */
export const install = async (packages) => {
  if (installed(packages)) return
  const command = existsSync(join(root, "package-lock.json")) ? "ci" : "install"
  say("installing the dependencies (once)")
  const everything = ["--include=dev", "--include=optional", "--ignore-scripts"]
  const code = await runNpm([command, ...everything, "--no-audit", "--no-fund"])
  if (code !== 0) {
    giveUp(
      `the dependencies could not be installed: npm ${command} ended with exit code ${code}. ` +
        "Is the package registry within reach, and the folder writable? Then run this again.",
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

const newEnough = (version) => Number(version?.slice(1).split(".")[0]) >= wantedMajor

const onPath = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.endsWith(join("node_modules", ".bin")))
    .map((folder) => join(folder, "node"))
    .filter((file) => existsSync(file))

/** The Node to run on: the one among the dependencies, else the machine's own; or ends. */
export const chooseNode = async () => {
  const ours = join(root, "node_modules", ".bin", "node")
  const looked = []
  for (const file of new Set([ours, process.execPath, ...onPath()])) {
    const version = await versionOf(file)
    if (newEnough(version)) return file
    // One that does not run here (another libc) would stand before the machine's own in every script.
    if (file === ours && !version) rmSync(file, { force: true })
    looked.push(`${file} (${version ?? "none that runs here"})`)
  }
  return giveUp(
    `Node ${wantedMajor} is needed, and none was found for ${process.platform}-${process.arch}. ` +
      `Looked at ${looked.join(", ")}. Install Node ${wantedMajor} from https://nodejs.org and run this again.`,
  )
}

/**
 * Goes on as Node 24 with these arguments: replaces this process where Node can (22.15, 23.11),
 * so that signals arrive and the exit code is the program's own; else starts a child and waits.
 */
export const become = async (args) => {
  const node = await chooseNode()
  // glibc gives each thread memory of its own that it hardly ever gives back: 50 MB for ours.
  process.env.MALLOC_ARENA_MAX ??= "2"
  process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compile")
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning")
    process.chdir(root)
    process.execve(node, [node, ...args], process.env)
  }
  process.exitCode = (await run(node, args)).code
}
