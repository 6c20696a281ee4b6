import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { beforeAll, beforeEach, expect } from "vitest"
import { adminKey } from "../harness/gateway.ts"

/** A Python with the packages in `requirements.txt`; CI provides one. */
const python = process.env.TEST_PYTHON
const run = promisify(execFile)
/** Python starts slowly on a busy machine. */
export const pythonTimeoutMs = 60_000

interface PythonProgram {
  /** The SDK. */
  module: string
  /** The environment variable from which it reads its key. */
  keyVariable: string
  /** The file, which gets the gateway's address, a task and a model as its arguments. */
  url: URL
  /** Returns the gateway's address, which is known once the tests run. */
  gatewayUrl: () => string
}

/** Skips the tests of a file if the SDK is not installed; fails in CI. Returns what runs a task. */
export const usePythonProgram = ({ module, keyVariable, url, gatewayUrl }: PythonProgram) => {
  let hasSdk = false

  beforeAll(async () => {
    if (!python) return
    hasSdk = await run(python, ["-c", `import ${module}`]).then(
      () => true,
      () => false,
    )
  }, pythonTimeoutMs)

  beforeEach(({ skip }) => {
    if (hasSdk) return
    expect(process.env.CI, "CI has to set TEST_PYTHON").toBeUndefined()
    skip("set TEST_PYTHON to a Python with server/test/clients/requirements.txt")
  })

  /** @returns what the task prints */
  return async (
    task: string,
    model: string,
    key = adminKey,
    // biome-ignore lint/suspicious/noExplicitAny: tests read results as a script would
  ): Promise<any> => {
    const env = { ...process.env, [keyVariable]: key }
    const { stdout } = await run(python ?? "", [url.pathname, gatewayUrl(), task, model], { env })
    return JSON.parse(stdout)
  }
}
