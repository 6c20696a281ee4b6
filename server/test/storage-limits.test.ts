import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { databases, type Place } from "./databases.ts"
import { startGateway, type TestGateway } from "./gateway.ts"
import { upload } from "./library.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(databases)("what is stored on $name", ({ place: makePlace }) => {
  let place: Place
  let gateway: TestGateway

  beforeAll(async () => {
    place = await makePlace()
    gateway = await startGateway({
      ...place.env,
      MAX_STORAGE: "10KB/15KB",
      MAX_UNFINISHED_UPLOADS: "2/3",
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await place.remove()
  })

  const begin = (key: string, size: number) =>
    fetch(`${gateway.url}/api/v1/files/resumable`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "tus-resumable": "1.0.0",
        "upload-length": String(size),
        "upload-metadata": `filename ${btoa("a.txt")}`,
      },
    })

  it("is bounded for one user and for all, unfinished uploads included", async () => {
    const [bob, ada] = [await gateway.newUser("Bob"), await gateway.newUser("Ann")]
    const send = ({ key }: { key: string }, text: string) =>
      upload(gateway, "a.txt", text.padEnd(6000, "."), { key })
    const first = await send(bob, "one")
    expect(first.status).toBe(200)
    const refused = await send(bob, "two")
    expect(refused).toMatchObject({ status: 413, body: { code: "body_too_large" } })
    expect(refused.body.detail).toMatch(/MAX_STORAGE.*delete files/)
    expect((await begin(bob.key, 6000)).status).toBe(413)
    expect((await begin(ada.key, 6000)).status).toBe(201)
    const full = await begin(ada.key, 3900)
    expect(full.status).toBe(413)
    expect(await full.text()).toMatch(/the gateway would store more/)
    await gateway.call("DELETE", `/api/v1/files/${first.body.id}`, undefined, { key: bob.key })
    expect((await send(bob, "two")).status).toBe(200)
  })

  it("has a bounded number of unfinished uploads", async () => {
    const { key } = await gateway.newUser("Eve")
    expect((await begin(key, 10)).status).toBe(201)
    expect((await begin(key, 10)).status).toBe(201)
    const refused = await begin(key, 10)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toMatch(/MAX_UNFINISHED_UPLOADS/)
  })
})
