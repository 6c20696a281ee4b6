import { createServer, type Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { upload } from "../knowledge/collections.ts"

/** An extraction engine whose delay, in milliseconds, is contained in each image's bytes. */
const startEngine = async (): Promise<{ server: Server; url: string; read: string[] }> => {
  const read: string[] = []
  const server = createServer(async (request, response) => {
    let bytes = ""
    for await (const chunk of request) bytes += chunk
    const [, name = "", ms = "0"] = /<(\w+) (\d+)>/.exec(bytes) ?? []
    await sleep(Number(ms), undefined, { ref: false })
    read.push(name)
    response.end(`These are the words of ${name}.`)
  })
  const port = await listenOnLoopback(server)
  return { server, url: `http://127.0.0.1:${port}`, read }
}

const picture = (name: string, ms: number): Buffer =>
  Buffer.from(`\x89PNG\r\n\x1a\n <${name} ${ms}>`, "latin1")

const statusOf = async (gateway: TestGateway, id: string): Promise<string> =>
  (await gateway.call("GET", `/api/v1/files/${id}`)).body.data.status

describe.each(chooseDatabases())("the queue of jobs on $name", ({ createDatabase }) => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let gateway: TestGateway
  let engine: Awaited<ReturnType<typeof startEngine>>
  let one: { key: string }
  let other: { key: string }

  beforeAll(async () => {
    database = await createDatabase()
    engine = await startEngine()
    const env = { EXTRACTION_URL: engine.url, EXTRACTION_CONCURRENCY: "1" }
    // Documents that take longer than this yield to others.
    const options = { quickReadMs: 800, jobPollMs: 100 }
    gateway = await startGateway({ ...database.env, ...env }, options)
    one = await gateway.createUser("One")
    other = await gateway.createUser("Other")
  })
  afterEach(() => {
    engine.read.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    engine.server.closeAllConnections()
    engine.server.close()
    await database.remove()
  })

  it("processes a user's few files before the rest of another user's many earlier ones", async () => {
    const many = Array.from({ length: 30 }, (_, n) => picture(`many${n}`, 60))
    await Promise.all(many.map((bytes, n) => upload(gateway, `${n}.png`, bytes, one)))
    const { body } = await upload(gateway, "few.png", picture("few", 60), other)
    await expect.poll(() => statusOf(gateway, body.id), { timeout: 20_000 }).toBe("completed")
    expect(engine.read.indexOf("few")).toBeLessThan(20)
    await expect.poll(() => engine.read.length, { timeout: 40_000 }).toBe(31)
  }, 90_000)

  it("processes quick documents while another user's slow ones use their full time limit", async () => {
    const slow: string[] = []
    for (let n = 0; n < 3; n++) {
      const { body } = await upload(gateway, `${n}.png`, picture(`slow${n}`, 2000), one)
      slow.push(body.id)
    }
    const firstStatus = () => statusOf(gateway, slow[0] ?? "")
    await expect.poll(firstStatus, { timeout: 10_000 }).toBe("processing")
    for (const name of ["first", "second", "third"]) {
      const { body } = await upload(gateway, `${name}.png`, picture(name, 10), other)
      await expect.poll(() => statusOf(gateway, body.id), { timeout: 60_000 }).toBe("completed")
    }
    const statuses = () => Promise.all(slow.map((id) => statusOf(gateway, id)))
    // In strict order, all three slow ones would have been read before the third quick one.
    const completed = (await statuses()).filter((status) => status === "completed")
    expect(completed.length).toBeLessThan(2)
    // Documents that had to yield are still processed in the end.
    await expect
      .poll(statuses, { timeout: 60_000 })
      .toEqual(["completed", "completed", "completed"])
  }, 200_000)
})
