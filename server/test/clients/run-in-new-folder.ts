import assert from "node:assert/strict"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type ProgramResult, runProgram } from "./run-program.ts"
import { pixel } from "./sample-files.ts"

/** The text of `note.txt` in the folder. */
export const note = "The note is in the folder."

interface FolderRun {
  /** Shell commands as the page "Connect a program" shows them; the last one starts the program. */
  commands: string
  /** Starts the tested program instead. */
  createArgs: (folder: string) => readonly string[]
  env?: Record<string, string>
  /** Contents by their paths in the home folder. */
  homeFiles?: Record<string, string>
}

/**
 * Runs a program on Node in a new folder with the files `note.txt` and `pixel.png`, and with a home
 * folder of its own. Both are removed.
 */
export const runInNewFolder = async (run: FolderRun): Promise<ProgramResult> => {
  const { commands, createArgs, env = {}, homeFiles = {} } = run
  const root = await mkdtemp(join(tmpdir(), "portico-client-"))
  const home = join(root, "home")
  const folder = join(root, "folder")
  try {
    await mkdir(folder)
    await writeFile(join(folder, "note.txt"), note)
    await writeFile(join(folder, "pixel.png"), Buffer.from(pixel, "base64"))
    await mkdir(home)
    for (const [path, content] of Object.entries(homeFiles)) {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), content)
    }
    const exports = commands.split("\n").slice(0, -1)
    const script = [...exports, 'exec "$@"'].join("\n")
    return await runProgram({
      command: "sh",
      args: ["-c", script, "sh", process.execPath, ...createArgs(folder)],
      cwd: folder,
      env: { HOME: home, TMPDIR: home, CLAUDE_CODE_TMPDIR: home, TERM: "dumb", ...env },
    })
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The answer that a program prints if it succeeds. */
export const readAnswer = ({ code, stdout, stderr }: ProgramResult): string => {
  assert.equal(code, 0, `${stdout}${stderr}`)
  return stdout.trim()
}
