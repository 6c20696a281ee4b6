import { createHash, randomBytes } from "node:crypto"
import { createReadStream, readdirSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { Upload } from "tus-js-client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload as uploadWhole } from "../knowledge/collections.ts"

const path = "/api/v1/files/resumable"
const maxFiles = 20
const toBase64 = (text: string): string => Buffer.from(text).toString("base64")
const randomText = (length: number): Buffer => Buffer.from(randomBytes(length / 2).toString("hex"))

describe.each(chooseDatabases())("uploads by tus on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway(
      {
        ...database.env,
        MAX_UPLOAD_SIZE: "5MB",
        MAX_FILES: `${maxFiles}`,
      },
      { clockDoubtMs: 0 },
    )
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const call = (
    method: string,
    address: string,
    headers: Record<string, string> = {},
    { body, key = adminKey }: { body?: Uint8Array; key?: string } = {},
  ): Promise<Response> =>
    fetch(gateway.url + address, {
      method,
      headers: { authorization: `Bearer ${key}`, "tus-resumable": "1.0.0", ...headers },
      ...(body && { body: new Uint8Array(body) }),
    })

  const startUpload = async (
    size: number,
    filename = "notes.txt",
    key = adminKey,
  ): Promise<string> => {
    const headers = {
      "upload-length": String(size),
      "upload-metadata": `filename ${toBase64(filename)},filetype ${toBase64("text/plain")},odd`,
    }
    const created = await call("POST", path, headers, { key })
    expect(created.status).toBe(201)
    return created.headers.get("location") ?? ""
  }

  const send = (address: string, offset: number, body: Uint8Array, key = adminKey) => {
    const type = "application/offset+octet-stream"
    const headers = { "upload-offset": String(offset), "content-type": type }
    return call("PATCH", address, headers, { body, key })
  }

  const uploadNote = async (text: string, key: string): Promise<string> => {
    const created = await uploadWhole(gateway, `${text}.txt`, text, { key })
    return created.body.id
  }

  const offsetOf = async (address: string): Promise<number> =>
    Number((await call("HEAD", address)).headers.get("upload-offset"))

  const partials = (): string[] => readdirSync(join(gateway.dataDir, "partial"))

  /** Starts a request from offset 0 without sending any content yet. */
  const startPatch = (address: string, length: number) => {
    const sending = request(gateway.url + address, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${adminKey}`,
        "tus-resumable": "1.0.0",
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
        "content-length": length,
      },
    })
    sending.on("error", () => {})
    return sending
  }

  /** Sends part of the declared content, and disconnects. */
  const sendAndDisconnect = async (address: string, body: Uint8Array): Promise<void> => {
    const sending = startPatch(address, 4_000_000)
    sending.write(body)
    await expect.poll(() => offsetOf(address)).toBe(body.length)
    sending.destroy()
  }

  it("work with tus-js-client, and return the same record as a plain upload", async () => {
    const bytes = randomText(1_000_000)
    const file = join(gateway.dataDir, "to-send.txt")
    writeFileSync(file, bytes)
    const client = await new Promise<Upload>((resolve, reject) => {
      const upload: Upload = new Upload(createReadStream(file), {
        endpoint: `${gateway.url}${path}/`,
        headers: { authorization: `Bearer ${adminKey}` },
        metadata: { filename: "zoë.txt", filetype: "text/plain", metadata: '{"from":"tus"}' },
        uploadSize: bytes.length,
        chunkSize: 300_000,
        onError: reject,
        onSuccess: () => resolve(upload),
      })
      upload.start()
    })
    const id = client.url?.split("/").at(-1)
    const { body } = await gateway.call("GET", `/api/v1/files/${id}`)
    const plain = await uploadWhole(gateway, "zoë.txt", bytes, { type: "text/plain" })
    const stored = await gateway.call("GET", `/api/v1/files/${plain.body.id}`)
    const same = ({ id: _id, created_at: _c, updated_at: _u, data: _d, ...rest }: typeof body) => ({
      ...rest,
      meta: { ...rest.meta, data: {}, format: null },
    })
    expect(same(body)).toEqual(same(stored.body))
    expect(body.meta.data).toEqual({ from: "tus" })
    expect(body.hash).toBe(createHash("sha256").update(bytes).digest("hex"))
    const content = await call("GET", `/api/v1/files/${id}/content`)
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true)
  })

  it("resume where they were interrupted", async () => {
    const bytes = randomText(4_000_000)
    const address = await startUpload(bytes.length)
    await sendAndDisconnect(address, bytes.subarray(0, 1_500_000))
    expect((await send(address, 0, bytes)).status).toBe(409)
    const rest = await send(address, 1_500_000, bytes.subarray(1_500_000))
    expect([rest.status, rest.headers.get("upload-offset")]).toEqual([204, "4000000"])
    const { body } = await gateway.call("GET", address.replace("/resumable", ""))
    expect(body.hash).toBe(createHash("sha256").update(bytes).digest("hex"))
    expect(partials()).not.toContain(body.id)
  })

  it("can be resumed while the previous connection still hangs", async () => {
    const bytes = randomText(100_000)
    const address = await startUpload(bytes.length)
    const hanging = startPatch(address, bytes.length)
    hanging.write(bytes.subarray(0, 40_000))
    await expect.poll(() => offsetOf(address)).toBe(40_000)
    expect((await send(address, 40_000, bytes.subarray(40_000))).status).toBe(204)
    hanging.destroy()
  })

  it("can be resumed while several concurrent connections still hang", async () => {
    const bytes = randomText(100_000)
    const address = await startUpload(bytes.length)
    const hanging = Array.from({ length: 8 }, () => {
      const sending = startPatch(address, bytes.length)
      sending.flushHeaders()
      return sending
    })
    await waitForEarlierRequests(gateway)
    expect((await send(address, 0, bytes)).status).toBe(204)
    for (const sending of hanging) sending.destroy()
  })

  it("report completion to a client that missed the last response", async () => {
    const address = await startUpload(5)
    expect((await send(address, 0, Buffer.from("Bees."))).status).toBe(204)
    const head = await call("HEAD", address)
    expect([
      head.status,
      head.headers.get("upload-offset"),
      head.headers.get("upload-length"),
    ]).toEqual([200, "5", "5"])
    expect((await send(address, 5, Buffer.from(""))).status).toBe(404)
  })

  it("have the same limits as plain uploads", async () => {
    const begun = (size: string) => call("POST", path, { "upload-length": size })
    expect((await begun("5000001")).status).toBe(413)
    expect((await begun("0")).status).toBe(400)
    expect((await begun("many")).status).toBe(400)
    const small = await startUpload(10)
    expect((await send(small, 0, Buffer.from("More than ten bytes"))).status).toBe(413)
    expect((await call("HEAD", small)).status).toBe(404)
    const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(9000)])
    const image = await startUpload(picture.length, "a.txt")
    expect((await send(image, 0, picture.subarray(0, 3000))).status).toBe(204)
    expect((await send(image, 3000, picture.subarray(3000))).status).toBe(415)
    expect((await call("HEAD", image)).status).toBe(404)
    expect(partials()).not.toContain(image.split("/").at(-1))
  })

  it("support only tus 1.0.0, and say so", async () => {
    const old = await call("POST", path, { "tus-resumable": "0.2.2", "upload-length": "5" })
    expect([old.status, old.headers.get("tus-version")]).toEqual([412, "1.0.0"])
    expect(old.headers.get("tus-resumable")).toBe("1.0.0")
    const address = await startUpload(5)
    const type = { "upload-offset": "0", "content-type": "text/plain" }
    expect((await call("PATCH", address, type, { body: Buffer.from("Bees.") })).status).toBe(415)
    const override = {
      "x-http-method-override": "PATCH",
      "upload-offset": "0",
      "content-type": "application/offset+octet-stream",
    }
    expect((await call("POST", address, override, { body: Buffer.from("Bees.") })).status).toBe(204)
  })

  it("are accessible only to their owner", async () => {
    const { key } = await gateway.createUser("Grace")
    const address = await startUpload(5)
    const strange = await call("HEAD", address, {}, { key })
    const missing = await call("HEAD", `${path}/0199-nothing`, {}, { key })
    expect([strange.status, missing.status]).toEqual([404, 404])
    expect((await send(address, 0, Buffer.from("Bees."), key)).status).toBe(404)
    expect((await call("DELETE", address, {}, { key })).status).toBe(404)
    expect(await offsetOf(address)).toBe(0)
  })

  it("keep their bytes when their file cannot be created yet", async () => {
    const { key } = await gateway.createUser("Lin")
    const text = Buffer.from("Bees.")
    const address = await startUpload(text.length, "bees.txt", key)
    const files = await Promise.all(
      Array.from({ length: maxFiles }, (_, index) => uploadNote(`Note ${index}`, key)),
    )
    expect((await send(address, 0, text, key)).status).toBe(409)
    await gateway.call("DELETE", `/api/v1/files/${files[0]}`, undefined, { key })
    const head = await call("HEAD", address, {}, { key })
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "5"])
    const id = address.split("/").at(-1)
    expect(await (await call("GET", `/api/v1/files/${id}/content`, {}, { key })).text()).toBe(
      "Bees.",
    )
  })

  it("are discarded when their user deletes them or does not resume them in time", async () => {
    const ended = await startUpload(100)
    await send(ended, 0, Buffer.from("some"))
    expect((await call("DELETE", ended)).status).toBe(204)
    expect((await call("HEAD", ended)).status).toBe(404)
    const left = await startUpload(100)
    await send(left, 0, Buffer.from("some"))
    const id = left.split("/").at(-1) ?? ""
    await gateway.gateway.db.transact(async (tx) => {
      await tx.updateTable("uploads").set({ expires_at: 1 }).where("id", "=", id).execute()
    })
    expect((await call("HEAD", left)).status).toBe(404)
    await gateway.gateway.resumable.sweep(true)
    expect(partials()).not.toContain(id)
  })
})
