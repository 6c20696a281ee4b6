import { createServer, type Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/listen.ts"
import { upload } from "../knowledge/collections.ts"

/** Reads what the gateway cannot, after a while that a picture's own bytes name in ms. */
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

describe.each(chooseDatabases())("the queue of jobs on $name", ({ place }) => {
  let home: Awaited<ReturnType<typeof place>>
  let gateway: TestGateway
  let engine: Awaited<ReturnType<typeof startEngine>>
  let one: { key: string }
  let other: { key: string }

  beforeAll(async () => {
    home = await place()
    engine = await startEngine()
    const env = { EXTRACTION_URL: engine.url, EXTRACTION_CONCURRENCY: "1" }
    // A document that takes longer than this makes room.
    const options = { quickReadMs: 800, jobLookMs: 100 }
    gateway = await startGateway({ ...home.env, ...env }, options)
    one = await gateway.newUser("One")
    other = await gateway.newUser("Other")
  })
  afterEach(() => {
    engine.read.length = 0
  })
  afterAll(async () => {
    await gateway.stop()
    engine.server.closeAllConnections()
    engine.server.close()
    await home.remove()
  })

  it("serves who asks for little before the rest of what another asked for much earlier", async () => {
    const many = Array.from({ length: 30 }, (_, n) => picture(`many${n}`, 60))
    await Promise.all(many.map((bytes, n) => upload(gateway, `${n}.png`, bytes, one)))
    const { body } = await upload(gateway, "few.png", picture("few", 60), other)
    await expect.poll(() => statusOf(gateway, body.id), { timeout: 20_000 }).toBe("completed")
    expect(engine.read.indexOf("few")).toBeLessThan(20)
    await expect.poll(() => engine.read.length, { timeout: 40_000 }).toBe(31)
  }, 90_000)

  it("reads quick documents while another user's take as long as they may", async () => {
    const slow: string[] = []
    for (let n = 0; n < 3; n++) {
      const { body } = await upload(gateway, `${n}.png`, picture(`slow${n}`, 2000), one)
      slow.push(body.id)
    }
    const begun = () => statusOf(gateway, slow[0] ?? "")
    await expect.poll(begun, { timeout: 10_000 }).toBe("processing")
    for (const name of ["first", "second", "third"]) {
      const { body } = await upload(gateway, `${name}.png`, picture(name, 10), other)
      await expect.poll(() => statusOf(gateway, body.id), { timeout: 60_000 }).toBe("completed")
    }
    const statuses = () => Promise.all(slow.map((id) => statusOf(gateway, id)))
    // One after the other, all three would have been read before the third of the quick ones.
    const completed = (await statuses()).filter((status) => status === "completed")
    expect(completed.length).toBeLessThan(2)
    // What had to make room is read in the end all the same.
    await expect
      .poll(statuses, { timeout: 60_000 })
      .toEqual(["completed", "completed", "completed"])
  }, 200_000)
})
