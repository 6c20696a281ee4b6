import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { chromiumPath, runsBrowserTests } from "../../../web/e2e/chromium.ts"
import { adminEmail, adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { measureCpuMs } from "../harness/timing.ts"

const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string().min(3),
  description: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(z.object({ name: z.string(), in: z.enum(["path", "query"]), required: z.boolean() }))
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.looseObject({}) })) }),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$|^default$/),
    z.object({
      description: z.string().min(2),
      content: z.record(z.string(), z.object({ schema: z.object({}) })).optional(),
    }),
  ),
})
const Method = z.enum(["get", "post", "put", "patch", "delete", "head"])
const Document = z.strictObject({
  openapi: z.literal("3.1.0"),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(Method, Operation.partial({ requestBody: true })),
  ),
  components: z.object({
    schemas: z.record(z.string().regex(/^[\w.-]+$/), z.object({})),
    securitySchemes: z.record(z.string(), z.object({ type: z.enum(["http", "apiKey"]) })),
  }),
})

const asAnyone = { key: null }
const paths = ["/docs", "/docs/", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/openapi.json"]

describe("with ENV=prod", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  it.each(paths)("%s returns 404 to everyone", async (path) => {
    expect((await gateway.call("GET", path, undefined, asAnyone)).status).toBe(404)
    expect((await gateway.call("GET", path)).status).toBe(404)
  })
})

describe("with ENV=dev", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway({ ENV: "dev" })
  })
  afterAll(() => gateway.stop())

  const readDocument = async () =>
    (await gateway.call("GET", "/openapi.json", undefined, asAnyone)).body

  it("builds the document once, so that repeated requests are cheap", async () => {
    await readDocument()
    // Plain `fetch` parses nothing; rebuilding the document would take about 100 ms each time.
    const ms = await measureCpuMs(async () => {
      for (let times = 0; times < 50; times++) {
        await (await fetch(`${gateway.url}/openapi.json`)).arrayBuffer()
      }
    })
    expect(ms).toBeLessThan(2500)
  })
  const operationsOf = async () =>
    Object.entries(Document.parse(await readDocument()).paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, ...operation })),
    )

  it("serves a valid document that declares the API experimental", async () => {
    const document = Document.parse(await readDocument())
    expect(document.info.description).toContain("experimental")
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(["/v1/chat/completions", "/api/models", "/api/v1/users/{id}"]),
    )
  })

  it("resolves every reference", async () => {
    const document = await readDocument()
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(100)
    const missing = references.filter(([, reference = ""]) => {
      const steps = reference.split("/")
      const found = steps.slice(1).reduce((place, step) => place?.[step], document)
      return steps[0] !== "#" || found === undefined
    })
    expect(missing).toEqual([])
  })

  it("describes every path parameter, and uses each operation id once", async () => {
    const operations = await operationsOf()
    for (const { path, parameters } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const described = parameters.filter((parameter) => parameter.in === "path")
      expect(described.map(({ name }) => name)).toEqual(inPath)
      expect(path).not.toMatch(/[:*]/)
    }
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("describes request bodies by their input and replies by their output", async () => {
    const { schemas } = (await readDocument()).components
    expect(schemas.NewApiKey.required).toBeUndefined()
    expect(schemas.ApiKey.required).toContain("expires_at")
    expect(schemas.User.additionalProperties).toBeUndefined()
  })

  it("describes streamed bodies too", async () => {
    const { paths: described } = Document.parse(await readDocument())
    const upload = described["/api/v1/files"]?.post?.requestBody?.content["multipart/form-data"]
    expect(JSON.stringify(upload?.schema)).toContain('"format":"binary"')
    const patch = described["/api/v1/scim/v2/Users/{id}"]?.patch?.requestBody?.content
    expect(Object.keys(patch ?? {})).toEqual(["application/scim+json"])
  })

  it("describes what a limit answers, with its headers, on every route of a model", async () => {
    const { paths: described } = await readDocument()
    const headersOf = (path: string): string[] =>
      Object.keys(described[path].post.responses[429].headers)
    expect(headersOf("/v1/chat/completions")).toEqual([
      ...["retry-after", "x-should-retry"],
      ...["limit", "remaining", "reset"].map((part) => `x-ratelimit-${part}-requests`),
      ...["limit", "remaining", "reset"].map((part) => `x-ratelimit-${part}-tokens`),
    ])
    expect(headersOf("/v1/responses")).toContain("x-ratelimit-reset-tokens")
    expect(headersOf("/v1/embeddings")).toContain("retry-after")
    expect(headersOf("/v1/messages")).toContain("anthropic-ratelimit-tokens-remaining")
    expect(headersOf("/ollama/{path}")).toEqual(["retry-after"])
  })

  it("describes a proxy under each of its methods", async () => {
    const { paths: described } = Document.parse(await readDocument())
    const methods = Object.keys(described["/ollama/{path}"] ?? {})
    expect(methods.sort()).toEqual(["delete", "get", "head", "patch", "post", "put"])
  })

  it("serves only the files of the documentation page", async () => {
    for (const name of ["index.html", "constructor", "..%2Fpackage.json", "LICENSE"]) {
      expect((await gateway.call("GET", `/docs/${name}`)).status, name).toBe(404)
    }
  })

  it("restricts the page to the gateway's own scripts and requests", async () => {
    const { headers, body } = await gateway.call("GET", "/docs", undefined, asAnyone)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'self'")
    expect(policy).not.toContain("unsafe")
    expect(body).not.toMatch(/<script>|https?:\/\//)
  })

  describe.runIf(runsBrowserTests)("in a browser", { timeout: 180_000 }, () => {
    let browser: Browser
    beforeAll(async () => {
      const networkArgs = ["--disable-background-networking", "--disable-component-update"]
      const featureArgs = ["--disable-sync", "--no-first-run", "--disable-quic", "--disable-gpu"]
      const args = ["--no-sandbox", ...networkArgs, ...featureArgs]
      browser = await chromium.launch({ executablePath: chromiumPath, args })
    })
    afterAll(() => browser?.close())

    const newPage = async () => {
      const page = await browser.newPage()
      page.setDefaultTimeout(80_000)
      return page
    }

    it("renders every operation, and sends requests only to the gateway", async () => {
      const page = await newPage()
      const requestedUrls: string[] = []
      const consoleErrors: string[] = []
      page.on("request", (request) => void requestedUrls.push(request.url()))
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) consoleErrors.push(message.text())
      })
      page.on("pageerror", (error) => void consoleErrors.push(error.message))

      await page.goto(`${gateway.url}/docs/`)
      const operations = await operationsOf()
      // One tag at a time: the page only renders the visible part of a long list.
      for (const [tag, tagged] of Map.groupBy(operations, ({ tags }) => tags[0])) {
        const toggle = page.locator(`.opblock-tag[data-tag="${tag}"] button.expand-operation`)
        const shown = page.locator(".opblock-tag-section.is-open .opblock")
        await toggle.click()
        await shown.nth(tagged.length - 1).waitFor()
        expect(await shown.count(), tag).toBe(tagged.length)
        await toggle.click()
        await shown.first().waitFor({ state: "detached" })
      }
      expect(await page.locator(".information-container").innerText()).toContain("experimental")

      await page.locator('.opblock-tag[data-tag="auths"] button.expand-operation').click()
      const signIn = page.locator("#operations-auths-post_api_v1_auths_signin")
      await signIn.locator("button").first().click()
      await signIn.getByText("The email address or password is incorrect").waitFor()

      const external = requestedUrls.filter((url) => !/^(data|blob):/.test(url))
      expect(external.filter((url) => !url.startsWith(`${gateway.url}/`))).toEqual([])
      expect(consoleErrors).toEqual([])
    })

    it("sends an operation with the given key", async () => {
      const page = await newPage()
      await page.goto(`${gateway.url}/docs`)
      await page.locator('.opblock-tag[data-tag="auths"] button.expand-operation').click()
      await page.locator(".auth-wrapper .authorize").click()
      await page.getByLabel("auth-bearer-value").first().fill(adminKey)
      await page.getByLabel("Apply credentials").first().click()
      await page.getByRole("button", { name: "Close" }).first().click()

      const whoAmI = page.locator("#operations-auths-get_api_v1_auths")
      await whoAmI.locator("button").first().click()
      await whoAmI.getByRole("button", { name: "Try it out" }).click()
      await whoAmI.getByRole("button", { name: "Execute" }).click()
      const liveResponse = whoAmI.locator(".live-responses-table")
      await liveResponse.getByText(adminEmail).first().waitFor()
    })
  })
})
