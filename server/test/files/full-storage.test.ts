import pg from "pg"
import { describe, expect, it } from "vitest"
import { startFakeS3 } from "../fakes/s3.ts"
import { hasPostgres, postgresDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

const postgres = postgresDatabase
const readyStatus = async ({ call }: TestGateway) => (await call("GET", "/ready")).status
const output = ({ logLines }: TestGateway, storage: string) =>
  logLines.filter((line) => line.storage === storage && String(line.msg).includes("is full"))

it("an object store that is full is reported as full storage", async () => {
  const s3 = await startFakeS3()
  const gateway = await startGateway({ S3_URL: s3.url }, { storageProbeMs: 250 })
  expect((await upload(gateway, "a.txt", "words")).status).toBe(200)
  s3.setFault(({ method }) => (method === "PUT" ? 507 : null))
  for (const name of ["b.txt", "c.txt"]) {
    const refused = await upload(gateway, name, `other words of ${name}`)
    expect(refused).toMatchObject({ status: 503, body: { code: "storage_full" } })
  }
  expect(await readyStatus(gateway)).toBe(503)
  await expect.poll(() => output(gateway, "files")).toHaveLength(1)
  s3.setFault(null)
  await expect.poll(() => readyStatus(gateway), { timeout: 30_000 }).toBe(200)
  await gateway.stop()
  s3.close()
}, 60_000)

describe.runIf(hasPostgres)("PostgreSQL without free disk space", () => {
  it("is reported as full storage until a write succeeds", async () => {
    const home = await postgres?.createDatabase()
    if (!home) return
    const gateway = await startGateway(home.env)
    const client = new pg.Client({ connectionString: home.url })
    await client.connect()
    // The server's error if a file cannot be extended.
    await client.query(`create function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await client.query(
      "create trigger no_space before insert on groups for each row execute function no_space()",
    )
    const make = (name: string) => gateway.call("POST", "/api/v1/groups/create", { name })
    const refused = await make("a")
    expect(refused).toMatchObject({ status: 503, body: { code: "storage_full" } })
    expect(await readyStatus(gateway)).toBe(503)
    await expect.poll(() => output(gateway, "database")).toHaveLength(1)
    expect(gateway.logLines.filter(({ status }) => status === 500)).toEqual([])
    await client.query("drop trigger no_space on groups")
    await client.end()
    expect((await make("a")).status).toBe(200)
    expect(await readyStatus(gateway)).toBe(200)
    await gateway.stop()
    await home.remove()
  }, 60_000)
})
