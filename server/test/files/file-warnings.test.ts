import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"

const query = "?process_in_background=false"

/** A message with an attachment that ends too early. */
const message = [
  "Subject: Offer",
  "From: ada@example.com",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=x",
  "",
  "--x",
  "Content-Type: text/plain",
  "",
  "See the offer.",
  "--x",
  'Content-Type: application/pdf; name="offer.pdf"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("%PDF-1.7 and nothing else").toString("base64"),
  "--x--",
].join("\r\n")

const warning = {
  code: "attachment_unreadable",
  message: "The attachment “offer.pdf” can't be read.",
  reference: { id: "document_attachment_unreadable", values: { name: "offer.pdf" } },
}

describe.each(chooseDatabases())("warnings on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  it("are part of the file, its status, and the lists that contain it", async () => {
    const { body: file } = await upload(gateway, "offer.eml", message, { query })
    expect(file.data).toMatchObject({ status: "completed", error: null, warnings: [warning] })
    const get = async (path: string) => (await gateway.call("GET", path)).body
    expect((await get(`/api/v1/files/${file.id}`)).data.warnings).toEqual([warning])
    expect((await get(`/api/v1/files/${file.id}/process/status`)).warnings).toEqual([warning])
    const stream = await get(`/api/v1/files/${file.id}/process/status?stream=true`)
    expect(stream).toContain(JSON.stringify(warning.message))
    expect((await get("/api/v1/files?query=offer")).items[0].data.warnings).toEqual([warning])
    const id = await createCollection(gateway, "Offers", [file.id])
    const { items } = await get(`/api/v1/knowledge/${id}/files`)
    expect(items[0].data.warnings).toEqual([warning])
  })

  it("are copied for files with the same content", async () => {
    const { body: file } = await upload(gateway, "the-same-offer.eml", message, { query })
    expect(file.data.warnings).toEqual([warning])
  })

  it("are missing for a file that was read completely", async () => {
    const { body: file } = await upload(gateway, "note.txt", "Nothing is missing.", { query })
    expect(file.data.warnings).toEqual([])
  })
})
