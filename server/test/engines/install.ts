import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** Where installed engines are kept between runs; must be readable by the user `postgres`. */
export const cacheFolder = process.env.ENGINES_CACHE ?? join(tmpdir(), "portico-engines")
mkdirSync(cacheFolder, { recursive: true, mode: 0o755 })

/** Runs an installer without output. @throws with the end of its output if it fails */
export const runInstaller = async (
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = cacheFolder,
): Promise<string> => {
  try {
    const options = { env: { ...process.env, ...env }, cwd, maxBuffer: 64 * 1024 * 1024 }
    return (await execute(command, [...args], options)).stdout
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr) : ""
    throw new Error(`${command} ${args.join(" ")} failed: ${output.slice(-2000)}`, { cause: error })
  }
}

/** Builds a program from a Go module. @returns its path */
export const buildGoProgram = async (
  module: string,
  version: string,
  env: Record<string, string> = {},
): Promise<string> => {
  const folder = join(cacheFolder, "go", version)
  const name = module.split("/").at(-1) ?? ""
  const path = join(folder, name)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    await runInstaller("go", ["install", `${module}@${version}`], {
      GOFLAGS: "-mod=mod",
      GOBIN: folder,
      ...env,
    })
  }
  return path
}

/** Creates a Python virtual environment with these packages. @returns its folder */
export const installPythonPackages = async (
  name: string,
  packages: readonly string[],
): Promise<string> => {
  const folder = join(cacheFolder, name)
  if (!existsSync(join(folder, "installed"))) {
    await runInstaller("python3", ["-m", "venv", folder])
    await runInstaller(join(folder, "bin/pip"), ["install", "--only-binary", ":all:", ...packages])
    mkdirSync(join(folder, "installed"))
  }
  return folder
}

/** The path of a file inside a virtual environment's packages. */
export const packagePath = (folder: string, path: string): string => {
  const [python = ""] = readdirSync(join(folder, "lib"))
  return join(folder, "lib", python, "site-packages", path)
}

export interface Engine {
  /** Standard output and standard error so far. */
  output(): string
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts an engine; it is killed at the latest when this process exits. */
export const startEngine = (
  command: string,
  args: readonly string[],
  { env = {}, cwd = cacheFolder }: { env?: Record<string, string>; cwd?: string } = {},
): Engine => {
  const child = spawn(command, [...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, because some programs are scripts that start the actual engine.
    detached: true,
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output.push(String(chunk))
      if (output.length > 5000) output.shift()
    })
  }
  child.on("error", (error) => output.push(error.message))
  const exited = once(child, "close")
  const signalAll = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // It has already exited.
    }
  }
  const end = (): void => signalAll("SIGKILL")
  process.once("exit", end)
  return {
    output: () => output.join(""),
    kill: async (signal = "SIGTERM") => {
      process.off("exit", end)
      if (child.exitCode === null && child.signalCode === null) {
        signalAll(signal)
        const killTimer = setTimeout(end, 10_000)
        await exited
        clearTimeout(killTimer)
      }
    },
  }
}
