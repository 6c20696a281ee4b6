import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { startFakeIssuer } from "../fakes/oidc-issuer.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { findFreePort } from "../harness/ports.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { providerEnv } from "./provider-env.ts"

const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
afterAll(() => {
  killAllGateways()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Prints a line for each single sign-on module that is loaded. */
const moduleLogger = `
import { registerHooks } from "node:module"
registerHooks({
  load: (url, context, next) => {
    if (/openid-client|oauth4webapi/.test(url)) console.log("loads " + url)
    return next(url, context)
  },
})`

it("loads the single sign-on client only when someone signs in", async () => {
  const issuer = await startFakeIssuer()
  const port = await findFreePort()
  const server = await startTestGatewayProcess({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(moduleLogger)}`,
    ...providerEnv(issuer),
  })
  const loadedModules = () => server.output.filter((line) => line.startsWith("loads "))
  expect((await server.call("GET", "/api/config")).body.sign_on).toHaveLength(1)
  expect(loadedModules()).toEqual([])
  expect(issuer.requestedUrls).toEqual([])
  await fetch(`${server.url}/api/v1/sso/okta/start`, { redirect: "manual" })
  await expect.poll(loadedModules).not.toEqual([])
  expect(issuer.requestedUrls).toEqual(["/.well-known/openid-configuration"])
  server.child.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  await issuer.close()
})
