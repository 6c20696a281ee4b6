import { createHash, randomBytes } from "node:crypto"
import { request as requestHttps } from "node:https"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cert } from "../../../packages/http1/test/certificate.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { type Nginx, nginxVersion, sendOverTls, startNginx } from "../http/start-nginx.ts"

const MB = 1024 * 1024
const bearer = { authorization: `Bearer ${adminKey}` }

describe.runIf(nginxVersion)("uploads behind nginx as docs/operations.md configures it", () => {
  let gateway: TestGateway
  let nginx: Nginx
  let port = 0

  beforeAll(async () => {
    port = await findFreePort()
    gateway = await startGateway({
      PUBLIC_URL: `https://localhost:${port}`,
      TRUSTED_PROXIES: "127.0.0.1",
      MAX_UPLOAD_SIZE: "60MB",
    })
    nginx = await startNginx(port, gateway.url)
  })
  afterAll(async () => {
    await nginx?.stop()
    await gateway.stop()
  })

  const upload = (bytes: Buffer, end = "\r\n--b--\r\n") => {
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    return sendOverTls(port, {
      method: "POST",
      path: "/api/v1/files/?process=false",
      headers: { ...bearer, "content-type": "multipart/form-data; boundary=b" },
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(end)]),
    })
  }

  it("can be 50 MB, which nginx does not buffer", async () => {
    const bytes = randomBytes(50 * MB)
    let max = 0
    const watch = setInterval(() => {
      max = Math.max(max, nginx.bufferedFiles().length)
    }, 5)
    const { status, body } = await upload(bytes)
    clearInterval(watch)
    expect(status).toBe(200)
    expect(max).toBe(0)
    const { id, meta } = JSON.parse(body)
    expect(meta.size).toBe(bytes.length)
    const path = `/api/v1/files/${id}/content`
    const part = await sendOverTls(port, { path, headers: { ...bearer, range: "bytes=52428790-" } })
    expect([part.status, part.headers["content-range"]]).toEqual([
      206,
      `bytes 52428790-52428799/${bytes.length}`,
    ])
  })

  it("return the gateway's own error for an upload that is too large", async () => {
    const { status, body, headers } = await upload(randomBytes(80 * MB))
    expect([status, headers["content-type"]]).toEqual([413, expect.stringContaining("json")])
    expect(JSON.parse(body).detail).toContain("60")
  })

  it("are rejected by nginx above its limit, and the gateway keeps running", async () => {
    const refused = await sendOverTls(port, {
      method: "POST",
      path: "/api/v1/files/",
      headers: { ...bearer, "content-length": String(201 * MB), expect: "100-continue" },
    }).catch(() => ({ status: 413 }))
    expect(refused.status).toBe(413)
    expect((await sendOverTls(port, { path: "/health" })).status).toBe(200)
  })

  it("keep the received part of a resumable upload whose client disconnects", async () => {
    const tus = { ...bearer, "tus-resumable": "1.0.0" }
    const created = await sendOverTls(port, {
      method: "POST",
      path: "/api/v1/files/resumable",
      headers: {
        ...tus,
        "upload-length": String(8 * MB),
        "upload-metadata": `filename ${Buffer.from("a.txt").toString("base64")}`,
      },
    })
    expect(created.status).toBe(201)
    const location = new URL(created.headers.location ?? "", `https://localhost:${port}`)
    expect(location.origin).toBe(`https://localhost:${port}`)
    const bytes = Buffer.from(randomBytes(4 * MB).toString("hex"))
    const to = { host: "127.0.0.1", servername: "localhost", port, ca: cert, agent: false as const }
    const sending = requestHttps({
      ...to,
      method: "PATCH",
      path: location.pathname,
      headers: {
        ...tus,
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
        "content-length": String(8 * MB),
      },
    })
    sending.on("error", () => {})
    sending.write(bytes.subarray(0, 5 * MB))
    const offset = async (): Promise<number> => {
      const { headers } = await sendOverTls(port, {
        method: "HEAD",
        path: location.pathname,
        headers: tus,
      })
      return Number(headers["upload-offset"])
    }
    await waitFor(async () => (await offset()) > 0)
    sending.destroy()
    const goOn = (from: number) =>
      sendOverTls(port, {
        method: "PATCH",
        path: location.pathname,
        headers: {
          ...tus,
          "upload-offset": String(from),
          "content-type": "application/offset+octet-stream",
        },
        body: bytes.subarray(from),
      })
    expect((await goOn(1)).status).toBe(409)
    const rest = await waitFor(async () => {
      const reply = await goOn(await offset())
      return reply.status === 409 ? undefined : reply
    })
    expect([rest.status, rest.headers["upload-offset"]]).toEqual([204, String(8 * MB)])
    const { body: listed } = await gateway.call("GET", "/api/v1/files")
    const { hash } = listed.items.find(({ filename }: { filename: string }) => filename === "a.txt")
    expect(hash).toBe(createHash("sha256").update(bytes).digest("hex"))
  }, 60_000)
})
