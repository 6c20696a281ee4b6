import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { errorSchemas } from "../../src/api-docs/error-schemas.ts"
import { createApp } from "../../src/app.ts"
import type { MountedRoute } from "../../src/http/server.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"

const scimToken = "the-identity-providers-own-token"
const maxBodyBytes = 2_000_000

let gateway: TestGateway
let upstream: FakeOpenAI
let routes: readonly MountedRoute[]

const writeMethods = new Set(["POST", "PUT", "PATCH"])
const acceptsJson = ({ method, style, shape }: MountedRoute): boolean =>
  shape.body !== undefined ||
  shape.rawBody?.contentType === "application/json" ||
  (style === "scim" && writeMethods.has(method))

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({
    MAX_BODY_SIZE: String(maxBodyBytes),
    OPENAI_API_BASE_URLS: upstream.url,
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
    SCIM_RATE_LIMIT: "off",
  })
  routes = createApp(gateway.gateway, pino({ enabled: false })).routes.filter(acceptsJson)
})
afterAll(async () => {
  const faults = gateway.logLines.filter((line) => line.err !== undefined || line.status === 500)
  expect(faults).toEqual([])
  await gateway.stop()
  await upstream.close()
})

const pathOf = ({ path }: MountedRoute): string =>
  `${path.replace(/:\w+(\{[^}]*\})?/g, "nothing").replace("*", "nothing")}?id=nothing`

const send = async (route: MountedRoute, body: string): Promise<number> => {
  const key = route.style === "scim" ? scimToken : adminKey
  const { status, body: refusal } = await gateway.call(route.method, pathOf(route), body, {
    key,
  })
  if (status >= 400) errorSchemas[route.style].parse(refusal)
  return status
}

/** Statuses of all selected routes that accept JSON, for one body. */
const statusesOf = async (
  body: string,
  isSelected = (_: MountedRoute) => true,
): Promise<[string, number][]> => {
  const found: [string, number][] = []
  for (const route of routes.filter(isSelected)) {
    found.push([`${route.method} ${route.path}`, await send(route, body)])
  }
  expect(found.length).toBeGreaterThan(3)
  return found
}

const hasStatus =
  (statuses: readonly number[]) =>
  ([, status]: [string, number]) =>
    statuses.includes(status)
const exceptStatuses = (found: [string, number][], statuses: readonly number[]) =>
  found.filter((one) => !hasStatus([...statuses, 501])(one))

const list = (count: number): string => `[${"0,".repeat(count - 1)}0]`

describe("the `metadata` part of an upload", () => {
  it.each([
    ["nests 30,000 levels deep", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, 400],
    ["contains U+0000", '{"a":"\\u0000"}', 422],
    ["is a list", "[1]", 400],
    ["is an object", '{"a":[{"b":1}]}', 200],
  ])("gets the documented status if it %s", async (_what, metadata, status) => {
    const form = new FormData()
    form.append("metadata", metadata)
    form.append("file", new Blob(["text"]), "a.txt")
    const headers = { authorization: `Bearer ${adminKey}` }
    const reply = await fetch(`${gateway.url}/api/v1/files/`, {
      method: "POST",
      headers,
      body: form,
    })
    expect(reply.status).toBe(status)
  })
})

describe("every route that accepts JSON", () => {
  it("is covered by these tests", () => {
    expect(routes.length).toBeGreaterThan(50)
  })

  it("rejects an oversized body with 413, in its protocol's error format", async () => {
    const isScim = ({ style }: MountedRoute) => style === "scim"
    const oversized = `{"x":"${"x".repeat(maxBodyBytes)}"}`
    expect(exceptStatuses(await statusesOf(oversized, (route) => !isScim(route)), [413])).toEqual(
      [],
    )
    expect(exceptStatuses(await statusesOf(`{"x":"${"x".repeat(8e6)}"}`, isScim), [413])).toEqual(
      [],
    )
  }, 60_000)

  it("accepts 1 MB on management routes unless documented otherwise", async () => {
    const isManagementRoute = ({ style, shape }: MountedRoute) =>
      style === "api" && !shape.bodyLimits
    expect(
      exceptStatuses(await statusesOf(`{"x":"${"x".repeat(1e6)}"}`, isManagementRoute), [413]),
    ).toEqual([])
  }, 60_000)

  it.each([
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["arrays", "[".repeat(100_000) + "]".repeat(100_000)],
    ["arrays in a field", `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["arrays that are never closed", "[".repeat(30_000)],
  ])(
    "rejects JSON nested too deeply: %s",
    async (_what, body) => {
      const isSmall = body.length < 64_000
      const isSmallEnough = ({ shape }: MountedRoute) => isSmall || shape.access !== "anyone"
      expect(exceptStatuses(await statusesOf(body, isSmallEnough), [400, 422])).toEqual([])
    },
    60_000,
  )

  it.each([
    ["elements", `{"x":${list(150_000)}}`],
    ["elements of the outermost array", list(150_000)],
    ["members", `{${Array.from({ length: 30_000 }, (_, n) => `"k${n}":0`).join(",")}}`],
    ["long member names", `{"${"k".repeat(500_000)}":1}`],
    ["digits", `{"x":${"1".repeat(500_000)}}`],
    ["whitespace", `{${" ".repeat(500_000)}`],
    ["escapes", `{"x":"${"\\u0000".repeat(50_000)}"}`],
  ])(
    "handles too many %s without a server error",
    async (_what, body) => {
      const found = await statusesOf(body)
      expect(found.filter(([, status]) => status >= 500 && status !== 501)).toEqual([])
      const isManagementRoute = ({ style, shape }: MountedRoute) =>
        style === "api" && !shape.bodyLimits && shape.access !== "anyone"
      if (body.includes(list(150_000))) {
        expect(exceptStatuses(await statusesOf(body, isManagementRoute), [413])).toEqual([])
      }
    },
    60_000,
  )
})
