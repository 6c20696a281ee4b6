import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { createPdf, createZip } from "./make-documents.ts"

const query = "?process_in_background=false"
const requested: {
  method: string | undefined
  url: string | undefined
  accept: string | undefined
}[] = []
let status = 200

const tika = createServer(async (request, response) => {
  requested.push({ method: request.method, url: request.url, accept: request.headers.accept })
  const bytes = await text(request)
  response.writeHead(status).end(`Recognised ${bytes.length > 0 ? "words" : "nothing"} of a scan.`)
})
let gateway: TestGateway

beforeAll(async () => {
  const port = await listenOnLoopback(tika)
  gateway = await startGateway({ EXTRACTION_URL: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await gateway.stop()
  tika.close()
})

it("sends only scans and images to the engine", async () => {
  const scan = await upload(gateway, "scan.pdf", createPdf([""]), { query })
  expect(scan.body).toMatchObject({ data: { status: "completed" }, meta: { format: "tika" } })
  const { content } = (await gateway.call("GET", `/api/v1/files/${scan.body.id}/data/content`)).body
  expect(content).toBe("Recognised words of a scan.")
  expect(requested).toEqual([{ method: "PUT", url: "/tika", accept: "text/plain" }])
  const picture = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1")
  const seen = await upload(gateway, "scan.png", picture, { query })
  expect([seen.status, seen.body.data.status]).toEqual([200, "completed"])
  const plain = await upload(gateway, "plain.txt", "Plain words.", { query })
  expect(plain.body.meta.format).toBe("text")
  const archive = await upload(gateway, "files.zip", createZip({ "a.txt": "x" }), { query })
  expect(archive.body.data.status).toBe("failed")
  expect(requested).toHaveLength(2)
})

it("retries while the engine is unavailable", async () => {
  status = 503
  const before = requested.length
  const { body } = await upload(gateway, "later.pdf", createPdf(["", "", ""]))
  await waitFor(() => requested.length > before)
  status = 200
  const path = `/api/v1/files/${body.id}/process/status?stream=true`
  expect((await gateway.call("GET", path)).body).toContain('"status":"completed"')
})

it("supports docling-serve, and keeps the headings that it finds", async () => {
  const forms: string[] = []
  const docling = createServer(async (request, response) => {
    forms.push(`${request.method} ${request.url} ${await text(request)}`)
    const document = { md_content: "# Lamps\n\nMoths fly towards the lamp.", text_content: null }
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ document, status: "success" }))
  })
  const port = await listenOnLoopback(docling)
  const other = await startGateway({
    EXTRACTION_URL: `http://127.0.0.1:${port}`,
    EXTRACTION_ENGINE: "docling",
  })
  const scan = await upload(other, "moths.pdf", createPdf([""]), { query })
  expect(scan.body).toMatchObject({ data: { status: "completed" }, meta: { format: "docling" } })
  const { items } = (await other.call("GET", `/api/v1/files/${scan.body.id}/passages`)).body
  expect(items[0]).toMatchObject({ heading: ["Lamps"] })
  expect(forms[0]).toContain("POST /v1/convert/file")
  expect(forms[0]).toContain('name="files"; filename="moths.pdf"')
  expect(forms[0]).toContain("%PDF-")
  await other.stop()
  docling.close()
})
