import { afterEach, describe, expect, it } from "vitest"
import { chooseDatabases, postgresDatabase } from "../harness/databases.ts"
import { adminEmail, startGateway, type TestGateway } from "../harness/gateway.ts"

const noAdmin = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
const publicEnv = { ...noAdmin, HOST: "0.0.0.0" }
const anonymous = { key: null }
const runningGateways = new Set<TestGateway>()

const start = async (env: Record<string, string>): Promise<TestGateway> => {
  const gateway = await startGateway(env)
  runningGateways.add(gateway)
  return gateway
}
const stop = async (gateway: TestGateway): Promise<void> => {
  runningGateways.delete(gateway)
  await gateway.stop()
}
afterEach(async () => {
  for (const gateway of runningGateways) await stop(gateway)
})

const announcementPattern =
  /Create the administrator at (\S+) with setup code ((?:[A-Z2-9]{4}-){3}[A-Z2-9]{4})$/

const announcementOf = ({ logLines }: TestGateway) => {
  const [, url, code] =
    logLines
      .map(({ msg }) => announcementPattern.exec(String(msg)))
      .find((match) => match !== null) ?? []
  return { url, code }
}

const signUp = (
  gateway: TestGateway,
  setup_code?: string,
  headers: Record<string, string> = {},
) => {
  const account = { name: "Ada", email: adminEmail, password: "correct horse" }
  const options = { ...anonymous, headers }
  return gateway.call("POST", "/api/v1/auths/signup", { ...account, setup_code }, options)
}

const isCodeRequired = async (gateway: TestGateway): Promise<unknown> =>
  (await gateway.call("GET", "/api/config", undefined, anonymous)).body.setup_code_required

const wrongCode = "AAAA-AAAA-AAAA-AAAA"

describe.each(chooseDatabases())("the first account on $name", ({ createDatabase }) => {
  it("requires the setup code from the log if the gateway is reachable from other machines", async () => {
    const database = await createDatabase()
    const gateway = await start({ ...database.env, ...publicEnv })
    const { url, code } = announcementOf(gateway)
    expect(url).toBe(gateway.url)
    expect(await isCodeRequired(gateway)).toBe(true)
    for (const sent of [undefined, "", wrongCode, `${code}A`]) {
      const refused = await signUp(gateway, sent)
      expect([sent, refused]).toMatchObject([sent, { status: 422, body: { code: "invalid" } }])
      expect(refused.body.errors).toMatchObject([{ path: "setup_code" }])
      expect(JSON.stringify(refused.body)).not.toContain(code)
    }
    const created = await signUp(gateway, code?.toLowerCase().replaceAll("-", " "))
    expect(created).toMatchObject({ status: 200, body: { role: "admin" } })
    expect(await isCodeRequired(gateway)).toBe(false)
    const admin = { key: created.body.token }
    const { body: trail } = await gateway.call("GET", "/api/v1/audit", undefined, admin)
    expect(JSON.stringify(trail)).toContain("auth.failed")
    expect(JSON.stringify(trail)).not.toContain(code)
    await stop(gateway)

    const later = await start({ ...database.env, ...publicEnv })
    expect(announcementOf(later).code).toBeUndefined()
    expect(await isCodeRequired(later)).toBe(false)
    const second = await signUp(later, code)
    expect(second).toMatchObject({ status: 403, body: { code: "signup_disabled" } })
    await stop(later)
    await database.remove()
  })
})

describe("the setup code", () => {
  it("is required behind a reverse proxy, and is logged with the public URL", async () => {
    const gateway = await start({ ...noAdmin, PUBLIC_URL: "https://models.example.com" })
    const { url, code } = announcementOf(gateway)
    expect(url).toBe("https://models.example.com")
    expect((await signUp(gateway)).status).toBe(422)
    expect((await signUp(gateway, code)).status).toBe(200)
  })

  it.each([{}, { HOST: "localhost" }, { PUBLIC_URL: "http://localhost:8080" }])(
    "is not required if only this machine can reach the gateway: %j",
    async (env) => {
      const gateway = await start({ ...noAdmin, ...env })
      expect(await isCodeRequired(gateway)).toBe(false)
      expect(announcementOf(gateway).code).toBeUndefined()
      expect((await signUp(gateway)).status).toBe(200)
    },
  )

  it("is not required if the environment defines the administrator", async () => {
    const gateway = await start({ HOST: "0.0.0.0" })
    expect(await isCodeRequired(gateway)).toBe(false)
    expect(announcementOf(gateway).code).toBeUndefined()
  })

  it("cannot be guessed, because an address with failed attempts must wait; others need not", async () => {
    const gateway = await start({ ...publicEnv, TRUSTED_PROXIES: "127.0.0.0/8" })
    const { code } = announcementOf(gateway)
    const from = (address: string) => ({ "x-forwarded-for": address })
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await signUp(gateway, wrongCode, from("192.0.2.1"))).status).toBe(422)
    }
    const refused = await signUp(gateway, code, from("192.0.2.1"))
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    expect((await signUp(gateway, code, from("192.0.2.2"))).status).toBe(200)
  })

  it("depends on SECRET_KEY", async () => {
    const SECRET_KEY = "another secret key for the tests, long enough"
    const codes = [await start(publicEnv), await start({ ...publicEnv, SECRET_KEY })].map(
      (gateway) => announcementOf(gateway).code,
    )
    expect(new Set(codes).size).toBe(2)
  })

  it.runIf(postgresDatabase)("works on every replica, whichever one logged it", async () => {
    const database = await postgresDatabase?.createDatabase()
    const one = await start({ ...database?.env, ...publicEnv })
    const other = await start({ ...database?.env, ...publicEnv })
    const { code } = announcementOf(one)
    expect(announcementOf(other).code).toBe(code)
    expect((await signUp(other, code)).status).toBe(200)
    await stop(one)
    await stop(other)
    await database?.remove()
  })
})
