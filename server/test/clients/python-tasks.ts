import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, expect } from "vitest"
import { adminKey } from "../harness/gateway.ts"

/** A Python with the packages in `requirements.txt`; CI provides one. */
const python = process.env.TEST_PYTHON
const run = promisify(execFile)
/** Python starts slowly on a busy machine. */
export const pythonTimeoutMs = 60_000

interface PythonProgram {
  /** The SDK. */
  module: string
  /** The file. It reads tasks as lines of JSON, and prints each result as one. */
  url: URL
  /** Returns the gateway's address, which is known once the tests run. */
  gatewayUrl: () => string
}

/** Runs one task at a time in a program, which starts with the first: importing an SDK takes 1 s. */
const createTaskRunner = ({ url, gatewayUrl }: PythonProgram) => {
  let program: ChildProcess | undefined

  const start = (): ChildProcess => {
    const child = spawn(python ?? "", [url.pathname, gatewayUrl()], { stdio: "pipe" })
    child.once("exit", () => {
      program = undefined
    })
    return child
  }

  const run = (task: object): Promise<unknown> => {
    program ??= start()
    const { stdin, stdout, stderr } = program
    const child = program
    if (!stdin || !stdout || !stderr) throw new Error("The program has no pipes")
    return new Promise((resolve, reject) => {
      let errors = ""
      const lines = createInterface(stdout)
      const onError = (text: Buffer): void => {
        errors += text
      }
      const onClose = (): void => reject(new Error(`The program ended: ${errors}`))
      stderr.on("data", onError)
      child.once("close", onClose)
      lines.once("line", (line) => {
        stderr.off("data", onError)
        child.off("close", onClose)
        lines.close()
        resolve(JSON.parse(line))
      })
      stdin.write(`${JSON.stringify(task)}\n`)
    })
  }

  return { run, stop: (): void => void program?.stdin?.end() }
}

/** Skips the tests of a file if the SDK is not installed; fails in CI. Returns what runs a task. */
export const usePythonProgram = (program: PythonProgram) => {
  const runner = createTaskRunner(program)
  let hasSdk = false

  beforeAll(async () => {
    if (!python) return
    const isInstalled = `import importlib.util, sys; sys.exit(not importlib.util.find_spec("${program.module}"))`
    hasSdk = await run(python, ["-c", isInstalled]).then(
      () => true,
      () => false,
    )
  }, pythonTimeoutMs)
  afterAll(() => runner.stop())

  beforeEach(({ skip }) => {
    if (hasSdk) return
    expect(process.env.CI, "CI has to set TEST_PYTHON").toBeUndefined()
    skip("set TEST_PYTHON to a Python with server/test/clients/requirements.txt")
  })

  /** @returns what the task prints */
  return (
    task: string,
    model: string,
    key = adminKey,
    // biome-ignore lint/suspicious/noExplicitAny: tests read results as a script would
  ): Promise<any> => runner.run({ task, model, key })
}
