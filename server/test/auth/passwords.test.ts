import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import { adminEmail, adminPassword, fastOptions, startGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

let dataDir: string
let server: TestGatewayProcess
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "portico-"))
  // The real entry point, with an environment that asks for cheaper hashing.
  const main = join(import.meta.dirname, "../../src/main.ts")
  server = await startTestGatewayProcess({ DATA_DIR: dataDir }, { main, options: fastOptions })
})
afterAll(async () => {
  killAllGateways()
  await server.exited
  rmSync(dataDir, { recursive: true, force: true })
})

const signIn = async (email: string, password: string) => {
  const since = performance.now()
  const { status } = await server.call("POST", "/api/v1/auths/signin", { email, password })
  return { status, ms: performance.now() - since }
}

it("hashes passwords at full cost, and takes as long for an account that does not exist", async () => {
  expect((await signIn(adminEmail, adminPassword)).status).toBe(200)
  const known: number[] = []
  const unknown: number[] = []
  for (let n = 0; n < 3; n++) {
    const wrong = await signIn(adminEmail, "not the password")
    const nobody = await signIn(`nobody${n}@example.com`, adminPassword)
    expect([wrong.status, nobody.status]).toEqual([401, 401])
    known.push(wrong.ms)
    unknown.push(nobody.ms)
  }
  // The minimum of each, since load only adds time. Without hashing, it would be a few
  // milliseconds.
  const ratio = Math.min(...unknown) / Math.min(...known)
  expect(ratio).toBeGreaterThan(1 / 3)
  expect(ratio).toBeLessThan(3)

  const db = await openDatabase({ DATA_DIR: dataDir })
  const { password_hash } = await db.read
    .selectFrom("users")
    .select("password_hash")
    .executeTakeFirstOrThrow()
  await db.close()
  expect(password_hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
})

it("verifies a hash with the cost it was created with", async () => {
  const home = mkdtempSync(join(tmpdir(), "portico-"))
  const attempt = async (password: string, options = fastOptions) => {
    const gateway = await startGateway({ DATA_DIR: home }, options)
    const body = { email: adminEmail, password }
    const { status } = await gateway.call("POST", "/api/v1/auths/signin", body, { key: null })
    await gateway.stop()
    return status
  }
  expect(await attempt(adminPassword)).toBe(200)
  const dearer = { passwordCost: { logCost: 5, blockSize: 4, parallel: 2 } }
  expect(await attempt(adminPassword, dearer)).toBe(200)
  expect(await attempt("not the password", dearer)).toBe(401)
  rmSync(home, { recursive: true, force: true })
})
