import { afterAll, beforeAll, expect, it } from "vitest"
import { type Blackhole, startBlackhole } from "../fakes/blackhole.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"

/** An extraction engine that never responds, so that processing an image never ends. */
let engine: Blackhole
let gateway: TestGateway
let bob: { id: string; key: string }
let file = ""

const picture = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1")
const inFlightCounts = (): number[] => {
  const { requests, eventStreams } = gateway.gateway.limits
  return [requests.held(), eventStreams.held()]
}

beforeAll(async () => {
  engine = await startBlackhole()
  gateway = await startGateway({
    EXTRACTION_URL: engine.url,
    MAX_REQUESTS: "2/10",
    MAX_EVENT_STREAMS: "2/10",
  })
  bob = await gateway.createUser("Bob")
  file = (await upload(gateway, "a.png", picture, { key: bob.key })).body.id
})
afterAll(async () => {
  await gateway.stop()
  await engine.close()
})

const followStatus = (method = "GET", signal?: AbortSignal) =>
  fetch(`${gateway.url}/api/v1/files/${file}/process/status?stream=true`, {
    method,
    headers: { authorization: `Bearer ${bob.key}` },
    ...(signal && { signal }),
  })

it("counts streams that follow a file's status towards a user's event streams", async () => {
  const leaving = new AbortController()
  expect((await followStatus("GET", leaving.signal)).status).toBe(200)
  expect((await followStatus("GET", leaving.signal)).status).toBe(200)
  const refused = await followStatus()
  expect([refused.status, await refused.text()]).toEqual([
    429,
    expect.stringContaining("MAX_EVENT_STREAMS"),
  ])
  leaving.abort()
  await waitFor(() => inFlightCounts()[1] === 0)
  expect((await followStatus("HEAD")).status).toBe(200)
  await waitFor(() => inFlightCounts()[1] === 0)
})

it("counts uploads that wait for processing towards a user's requests, and stores none above the limit", async () => {
  const wait = () =>
    upload(gateway, "b.png", picture, { key: bob.key, query: "?process_in_background=false" })
  const waiting = [wait(), wait()]
  await waitFor(() => inFlightCounts()[0] === 2)
  const options = { key: bob.key }
  const files = async () =>
    (await gateway.call("GET", "/api/v1/files/", undefined, options)).body.total
  await waitFor(async () => (await files()) === 3)
  const refused = await wait()
  expect([refused.status, refused.body.detail]).toEqual([
    429,
    expect.stringContaining("MAX_REQUESTS"),
  ])
  expect(await files()).toBe(3)

  const following = await followStatus()
  const { body } = await gateway.call("GET", "/api/v1/auths/api_keys", undefined, options)
  await gateway.call("DELETE", `/api/v1/auths/api_keys/${body[0].id}`, undefined, options)
  // The credential was revoked: its requests end, with the current state of the stored file.
  expect(await following.text()).toContain('"status"')
  for (const { status, body } of await Promise.all(waiting)) {
    expect([status, body.data.error]).toEqual([200, null])
  }
  await waitFor(() => inFlightCounts().every((count) => count === 0))
})
