import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { reservePath, reserveSizeFor } from "../../src/db/disk-space.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { spawnTestGateway, startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { upload } from "../knowledge/collections.ts"
import { createSmallDisk, hasSmallDisks, type SmallDisk } from "./small-disk.ts"

const megabyte = 1024 * 1024
const options = { storageProbeMs: 500, jobPollMs: 100, jobRetryMs: 50, jobStorageRetryMs: 500 }
const group = (n: number | string) => ({ name: `group ${n}`, description: "x".repeat(500) })

describe.runIf(hasSmallDisks)("a full disk that contains the data folder", () => {
  let disk: SmallDisk
  let gateway: TestGateway | undefined
  afterEach(async () => {
    await gateway?.stop()
    gateway = undefined
    killAllGateways()
    disk.remove()
  })
  const start = async (bytes: number): Promise<TestGateway> => {
    disk = createSmallDisk(bytes)
    gateway = await startGateway({ DATA_DIR: join(disk.folder, "data") }, options)
    return gateway
  }

  /** Waits until the gateway has allocated its whole reserve, which reduces the free space. */
  const waitForReserve = async (): Promise<void> => {
    const dataDir = join(disk.folder, "data")
    const held = () => statSync(reservePath(dataDir), { throwIfNoEntry: false })?.size
    await expect.poll(held, { timeout: 20_000 }).toBe(reserveSizeFor(dataDir))
  }

  it("is reported with status 503, and once a minute in the log, until space is free", async () => {
    const { call, logLines } = await start(12 * megabyte)
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
        detail: expect.stringMatching(/out of disk space.*administrator/),
      },
    })
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
    const file = await upload(gateway ?? throwNotStarted(), "a.txt", "x".repeat(200_000))
    expect(file).toMatchObject({ status: 503, body: { code: "storage_full" } })
    expect(await call("GET", "/ready")).toMatchObject({ status: 503 })
    expect((await call("GET", "/health")).status).toBe(200)
    expect((await call("GET", "/api/v1/users/")).status).toBe(200)
    const output = logLines.filter(
      ({ msg, storage }) => storage === "database" && String(msg).includes("disk is full"),
    )
    expect(output).toHaveLength(1)
    expect(output[0]?.msg).toMatch(/Free up space or enlarge the volume/)
    expect(logLines.filter(({ status }) => status === 500)).toEqual([])

    disk.removeBallast()
    await expect
      .poll(async () => (await call("GET", "/ready")).status, { timeout: 30_000 })
      .toBe(200)
    expect((await call("POST", "/api/v1/groups/create", group("last"))).status).toBe(200)
    expect((await upload(gateway ?? throwNotStarted(), "a.txt", "words")).status).toBe(200)
  }, 120_000)

  it("leaves administrators enough space to delete data", async () => {
    const { call } = await start(24 * megabyte)
    const created = await call("POST", "/api/v1/groups/create", group("to delete"))
    await waitForReserve()
    disk.fill()
    const remove = () => call("DELETE", `/api/v1/groups/${created.body.id}`)
    await expect.poll(async () => (await remove()).status, { timeout: 30_000 }).toBe(200)
  }, 120_000)

  it("is never filled by uploads so far that the database cannot write", async () => {
    const { call } = await start(24 * megabyte)
    let status = 200
    for (let n = 0; status === 200 && n < 40; n++) {
      const sent = await upload(gateway ?? throwNotStarted(), `${n}.bin`, `${n}`.repeat(megabyte), {
        query: "?process=false",
      })
      status = sent.status
    }
    expect(status).toBe(503)
    expect(disk.freeBytes()).toBeGreaterThan(megabyte)
    expect((await call("POST", "/api/v1/groups/create", group("g"))).status).toBe(200)
  }, 120_000)

  it("delays jobs without giving any of them up", async () => {
    const { call } = await start(24 * megabyte)
    await waitForReserve()
    // Enough space for the upload, but not for the text extracted from it.
    disk.fill(8 * megabyte)
    const text = Array.from({ length: 20_000 }, (_, n) => `Line ${n} tells of bees and honey.\n`)
    const sent = await upload(gateway ?? throwNotStarted(), "long.txt", text.join(""))
    expect(sent).toMatchObject({ status: 200 })
    const status = async () => (await call("GET", `/api/v1/files/${sent.body.id}`)).body.data.status
    // Longer than five attempts of a job take, which are 0.75 s apart.
    for (const until = Date.now() + 4000; Date.now() < until; ) {
      disk.fill()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await status()).not.toBe("failed")
    disk.removeBallast()
    await expect.poll(status, { timeout: 60_000 }).toBe("completed")
  }, 120_000)

  it("is not filled by the write-ahead log of many small writes", async () => {
    const { call } = await start(16 * megabyte)
    for (let n = 0; n < 1000; n++) {
      const make = async () => (await call("POST", "/api/v1/groups/create", group(n))).status
      // On a busy machine, the log may fill the disk briefly, but never permanently.
      if ((await make()) !== 200) await expect.poll(make, { timeout: 20_000 }).toBe(200)
    }
    await expect.poll(() => disk.freeBytes(), { timeout: 20_000 }).toBeGreaterThan(4 * megabyte)
  }, 240_000)

  it("does not prevent a gateway from starting, or else is named in the error", async () => {
    disk = createSmallDisk(12 * megabyte)
    const env = { DATA_DIR: join(disk.folder, "data") }
    const first = await startTestGatewayProcess(env)
    await waitForReserve()
    first.child.kill("SIGKILL")
    await first.exited
    disk.fill()
    const second = await startTestGatewayProcess(env)
    expect((await second.call("GET", "/api/v1/users/")).status).toBe(200)
    second.child.kill("SIGKILL")
    await second.exited
    disk.fill()
    const third = spawnTestGateway({ DATA_DIR: join(disk.folder, "new") })
    expect(await third.exited).toBe(1)
    const output = third.output.join("\n")
    expect(output).toMatch(/disk of the data folder .* is full .*Free up space/)
    expect(output).not.toContain("another Portico process")
    disk.resize(24 * megabyte)
    const fourth = await startTestGatewayProcess(env)
    expect((await fourth.call("POST", "/api/v1/groups/create", group("g"))).status).toBe(200)
  }, 120_000)
})

describe.runIf(hasSmallDisks)("a read-only data folder", () => {
  it("is named in the error when the gateway starts", async () => {
    const disk = createSmallDisk(24 * megabyte)
    const env = { DATA_DIR: join(disk.folder, "data") }
    const first = await startTestGatewayProcess(env)
    first.child.kill("SIGTERM")
    await first.exited
    disk.makeReadOnly()
    const second = spawnTestGateway(env)
    expect(await second.exited).toBe(1)
    const words = second.output.join("\n")
    expect(words).toMatch(/Cannot use the data folder .*mounted read-write/)
    expect(words).not.toContain("another Portico process")
    disk.remove()
  }, 60_000)
})

const hasStrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0

describe.runIf(hasStrace)("a disk whose fsync fails", () => {
  it("never loses acknowledged writes: none are acknowledged until a checkpoint has persisted everything", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "portico-flush-"))
    const server = await startTestGatewayProcess({ DATA_DIR: dataDir })
    const make = (name: string) => server.call("POST", "/api/v1/groups/create", { name })
    expect((await make("before")).status).toBe(200)
    const calls = "trace=fdatasync"
    // The first call of each thread fails, so that a retry on another thread also fails.
    const failing = ["-e", calls, "-e", "inject=fdatasync:error=EIO:when=1"]
    const tracer = spawn("strace", ["-f", "-p", String(server.child.pid), ...failing], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    let traced = ""
    tracer.stderr.on("data", (text) => {
      traced += text
    })
    await expect.poll(() => traced, { timeout: 10_000 }).toContain("attached")
    const first = await make("at once")
    expect(first).toMatchObject({ status: 503, body: { code: "unavailable" } })
    expect((await server.call("GET", "/ready")).status).toBe(503)
    expect(traced).toContain("EIO")
    const second = await make("next")
    // Persisted by a checkpoint, without another fsync of the log.
    expect([second.status, traced.match(/fdatasync\(/g)?.length]).toEqual([200, 1])
    expect((await server.call("GET", "/ready")).status).toBe(200)
    const logLines = () =>
      server.output.filter(
        (line) =>
          line.includes("Cannot write to the database's disk") &&
          line.includes('"storage":"database"'),
      )
    // The trace is written a moment later.
    await expect.poll(logLines).toHaveLength(1)
    // A signal that arrives while strace detaches from the gateway may be lost.
    const tracerExit = once(tracer, "exit")
    tracer.kill("SIGINT")
    await tracerExit
    server.child.kill("SIGTERM")
    expect(await server.exited).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  }, 120_000)
})

const throwNotStarted = (): never => {
  throw new Error("The gateway has not been started")
}
