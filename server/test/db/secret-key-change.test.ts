import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { startGateway } from "../harness/gateway.ts"

const folder = mkdtempSync(join(tmpdir(), "portico-"))
const DATA_DIR = join(folder, "data")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const connection = {
  kind: "openai",
  name: "Provider",
  base_url: "http://127.0.0.1:9/v1",
  api_key: "up-key-of-the-provider",
}
const first = { DATA_DIR, SECRET_KEY: "the first secret key, 32 characters" }
const second = { DATA_DIR, SECRET_KEY: "the second secret key, 32 characters" }

it("explains what to do if SECRET_KEY is not the one that encrypted the stored keys", async () => {
  const before = await startGateway(first)
  const { id } = (await before.call("POST", "/api/v1/connections/create", connection)).body
  await before.stop()

  // A failed start keeps the data folder locked for as long as its process lives.
  const copy = join(folder, "copy")
  cpSync(DATA_DIR, copy, { recursive: true })
  await expect(startGateway({ ...second, DATA_DIR: copy })).rejects.toThrow(
    /another SECRET_KEY.*docs\/operations\.md/,
  )

  const repeated = await startGateway(first)
  expect((await repeated.call("GET", `/api/v1/connections/${id}`)).body.api_key).toBe("…ider")
  const baseline = { api_key: "", headers: {} }
  await repeated.call("POST", `/api/v1/connections/${id}/update`, baseline)
  await repeated.stop()
})

it("starts with a new SECRET_KEY if no key is stored; API keys remain valid, sessions end", async () => {
  const credentials = { email: "ada@example.com", password: "correct horse battery" }
  const before = await startGateway(first)
  const { token } = (await before.call("POST", "/api/v1/auths/signin", credentials)).body
  expect((await before.call("GET", "/api/v1/auths", undefined, { key: token })).status).toBe(200)
  await before.stop()

  const after = await startGateway(second)
  expect((await after.call("GET", "/api/v1/auths", undefined, { key: token })).status).toBe(401)
  expect((await after.call("GET", "/api/v1/auths")).status).toBe(200)
  await after.stop()
})
