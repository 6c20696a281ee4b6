import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

/** Includes the start of a large program on a busy machine. */
const timeoutMs = 180_000

export interface ProgramOptions {
  command: string
  args: readonly string[]
  cwd: string
  /** The whole environment, apart from `PATH`. */
  env: Record<string, string>
}

export interface ProgramResult {
  /** Null if the program was killed because it took too long. */
  code: number | null
  stdout: string
  stderr: string
}

/** Kills what the program has started and left running. */
const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // Nothing is left.
  }
}

/** Runs a program without input, in a process group of its own, until it ends. */
export const runProgram = async (options: ProgramOptions): Promise<ProgramResult> => {
  const { command, args, cwd, env } = options
  const child = spawn(command, args, {
    ...{ cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] },
    env: { PATH: process.env.PATH, ...env },
  })
  const timer = setTimeout(() => killGroup(child.pid), timeoutMs)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code) => {
      killGroup(child.pid)
      resolve(code)
    })
  })
  try {
    const [code, stdout, stderr] = await Promise.all([
      ended,
      text(child.stdout),
      text(child.stderr),
    ])
    return { code, stdout, stderr }
  } finally {
    clearTimeout(timer)
  }
}
