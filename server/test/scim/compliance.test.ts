import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { describeScim, scimBase, scimToken } from "./scim-client.ts"

/** A Python with the packages in `scim-tester/requirements.txt`; CI provides one. */
const python = process.env.TEST_PYTHON
const program = new URL("./scim-tester/check.py", import.meta.url).pathname
const run = promisify(execFile)

interface CheckResult {
  status: string
  title: string
  resource: string | null
  reason: string
}

/** All failed checks of scim2-tester. */
const runScimTester = async (url: string): Promise<CheckResult[]> => {
  const env = { ...process.env, SCIM_TOKEN: scimToken }
  const options = { env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(python ?? "", [program, `${url}${scimBase}`], options)
  const results: CheckResult[] = JSON.parse(stdout)
  const passed = results.filter(({ status }) => status === "SUCCESS")
  expect(passed.length).toBeGreaterThan(20)
  const passingStatuses = ["SUCCESS", "SKIPPED", "ACCEPTABLE"]
  return results.filter(({ status }) => !passingStatuses.includes(status))
}

const modes: [mode: string, wrong: object[]][] = [
  ["hide", []],
  // By default a deleted user can still be read as inactive, which the RFC does not allow.
  ["deactivate", [{ title: "object_deletion", resource: "User", status: "ERROR" }]],
]

for (const [mode, expectedFailures] of modes) {
  describeScim(
    `scim2-tester with SCIM_DELETE_MODE=${mode}`,
    (client) => {
      it("finds only documented deviations", async ({ skip }) => {
        if (python === undefined) {
          expect(process.env.CI, "CI has to set TEST_PYTHON").toBeUndefined()
          return skip(
            "set TEST_PYTHON to a Python with server/test/scim/scim-tester/requirements.txt",
          )
        }
        expect(await runScimTester(client().gateway.url)).toMatchObject(expectedFailures)
      }, 300_000)
    },
    { SCIM_DELETE_MODE: mode },
  )
}
