import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { startGateway, type TestGateway } from "./gateway.ts"
import { upload } from "./library.ts"
import { killAll, spawnServer, startServer } from "./process.ts"
import { createSmallDisk, hasSmallDisks, type SmallDisk } from "./small-disk.ts"

const megabyte = 1024 * 1024
const group = (n: number | string) => ({ name: `group ${n}`, description: "x".repeat(500) })

describe.runIf(hasSmallDisks)("a full disk below the data folder", () => {
  let disk: SmallDisk
  let gateway: TestGateway | undefined
  afterEach(async () => {
    await gateway?.stop()
    gateway = undefined
    killAll()
    disk.remove()
  })
  const start = async (bytes: number): Promise<TestGateway> => {
    disk = createSmallDisk(bytes)
    gateway = await startGateway({ DATA_DIR: join(disk.folder, "data") })
    return gateway
  }

  it("is said as what it is, with 503, once a minute in the log, until there is room", async () => {
    const { call, lines } = await start(12 * megabyte)
    expect((await call("GET", "/ready")).status).toBe(200)
    disk.fill()
    let refused = await call("POST", "/api/v1/groups/create", group("first"))
    for (let n = 0; refused.status === 200 && n < 200; n++) {
      refused = await call("POST", "/api/v1/groups/create", group(n))
      disk.fill()
    }
    expect(refused).toMatchObject({
      status: 503,
      body: {
        code: "storage_full",
        detail: expect.stringMatching(/no storage space.*administrator/),
      },
    })
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
    const file = await upload(gateway ?? fail(), "a.txt", "x".repeat(200_000))
    expect(file).toMatchObject({ status: 503, body: { code: "storage_full" } })
    expect(await call("GET", "/ready")).toMatchObject({ status: 503 })
    expect((await call("GET", "/health")).status).toBe(200)
    expect((await call("GET", "/api/v1/users/")).status).toBe(200)
    const said = lines.filter(
      ({ msg, storage }) => storage === "database" && String(msg).includes("no space left"),
    )
    expect(said).toHaveLength(1)
    expect(said[0]?.msg).toMatch(/Free space or enlarge the volume/)
    expect(lines.filter(({ status }) => status === 500)).toEqual([])

    disk.clear()
    await expect
      .poll(async () => (await call("GET", "/ready")).status, { timeout: 30_000 })
      .toBe(200)
    expect((await call("POST", "/api/v1/groups/create", group("last"))).status).toBe(200)
    expect((await upload(gateway ?? fail(), "a.txt", "words")).status).toBe(200)
  }, 120_000)

  it("leaves an administrator who deletes the room for that", async () => {
    const { call } = await start(24 * megabyte)
    const made = await call("POST", "/api/v1/groups/create", group("to delete"))
    const reserve = join(disk.folder, "data", "portico.reserve")
    await expect.poll(() => existsSync(reserve), { timeout: 20_000 }).toBe(true)
    disk.fill()
    const remove = () => call("DELETE", `/api/v1/groups/${made.body.id}`)
    await expect.poll(async () => (await remove()).status, { timeout: 30_000 }).toBe(200)
  }, 120_000)

  it("is not filled by uploads up to the database's last bytes", async () => {
    const { call } = await start(24 * megabyte)
    let status = 200
    for (let n = 0; status === 200 && n < 40; n++) {
      const sent = await upload(gateway ?? fail(), `${n}.bin`, `${n}`.repeat(megabyte), {
        query: "?process=false",
      })
      status = sent.status
    }
    expect(status).toBe(503)
    expect(disk.free()).toBeGreaterThan(megabyte)
    expect((await call("POST", "/api/v1/groups/create", group("g"))).status).toBe(200)
  }, 120_000)

  it("is not filled by the write-ahead log of many small changes", async () => {
    const { call } = await start(16 * megabyte)
    for (let n = 0; n < 1000; n++) {
      const make = async () => (await call("POST", "/api/v1/groups/create", group(n))).status
      // On a busy machine the log may win for a moment; it never stays so.
      if ((await make()) !== 200) await expect.poll(make, { timeout: 20_000 }).toBe(200)
    }
    await expect.poll(() => disk.free(), { timeout: 20_000 }).toBeGreaterThan(4 * megabyte)
  }, 240_000)

  it("does not keep a gateway from starting, or is named where it does", async () => {
    disk = createSmallDisk(12 * megabyte)
    const env = { DATA_DIR: join(disk.folder, "data") }
    const first = await startServer(env)
    const reserve = join(disk.folder, "data", "portico.reserve")
    await expect.poll(() => existsSync(reserve), { timeout: 20_000 }).toBe(true)
    first.child.kill("SIGKILL")
    await first.ended
    disk.fill()
    const second = await startServer(env)
    expect((await second.call("GET", "/api/v1/users/")).status).toBe(200)
    second.child.kill("SIGKILL")
    await second.ended
    disk.fill()
    const third = spawnServer({ DATA_DIR: join(disk.folder, "new") })
    expect(await third.ended).toBe(1)
    const said = third.output.join("\n")
    expect(said).toMatch(/disk of the data folder .* is full .*Free some space/)
    expect(said).not.toContain("another Portico process")
    disk.resize(24 * megabyte)
    const fourth = await startServer(env)
    expect((await fourth.call("POST", "/api/v1/groups/create", group("g"))).status).toBe(200)
  }, 120_000)
})

const fail = (): never => {
  throw new Error("there is no gateway")
}
