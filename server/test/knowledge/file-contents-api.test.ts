import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { followEventStream } from "../conversations/chat-client.ts"
import { createPdf } from "../files/make-documents.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "./collections.ts"

const processNow = "?process_in_background=false"
const bees =
  "# Bees\n\n## Dance\n\nThe waggle dance tells the way.\n\n## Sting\n\nIt is barbed. 🐝\n"

describe.each(chooseDatabases())("reading files on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let file: { id: string }
  let eve: { id: string; key: string }

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    file = (await upload(gateway, "bees.md", bees, { query: processNow })).body
    eve = await gateway.createUser("Eve")
  })
  afterAll(() => gateway.stop())

  const readFilePart = (path: string, key?: string) =>
    gateway.call("GET", `/api/v1/files/${file.id}${path}`, undefined, key ? { key } : {})

  it("returns passages in order, each with its location and exact text", async () => {
    const { body } = await readFilePart("/passages?page_size=1")
    const { content } = (await readFilePart("/data/content")).body
    expect(body.total).toBeGreaterThan(0)
    const [first] = body.items
    expect(first).toMatchObject({ position: 0, heading: ["Bees", "Dance"] })
    expect(content.slice(first.start, first.end)).toBe(first.text)
    const { start } = (await readFilePart("/passages")).body.items.at(-1)
    const found = await readFilePart(`/passages?page_size=1&at=${start + 1}`)
    expect(found.body.items[0].start).toBe(start)
    const beyond = await readFilePart("/passages?page=100")
    expect(beyond.body.items).toEqual([])
  })

  it("returns the headings or pages of a file with their offsets", async () => {
    const { content } = (await readFilePart("/data/content")).body
    expect((await readFilePart("/outline")).body.items).toEqual([
      { start: 0, heading: ["Bees", "Dance"] },
      { start: content.indexOf("## Sting"), heading: ["Bees", "Sting"] },
    ])
    const paged = await upload(gateway, "pages.pdf", createPdf(["First page.", "Second page."]), {
      query: processNow,
    })
    const { body } = await gateway.call("GET", `/api/v1/files/${paged.body.id}/outline`)
    expect(body.items).toMatchObject([{ page: 1 }, { page: 2 }])
  })

  it("returns a range of the text with its offset and the total length", async () => {
    const { content, length } = (await readFilePart("/data/content")).body
    expect(length).toBe(content.length)
    const piece = await readFilePart("/data/content?start=2&end=6")
    expect(piece.body).toEqual({ content: "Bees", start: 2, length })
    const broken = content.indexOf("🐝") + 1
    expect((await readFilePart(`/data/content?start=${broken}`)).body.content).toMatch(/^\ufffd/)
    expect((await readFilePart("/data/content?start=-1")).status).toBe(422)
  })

  it("lists the collections of a file that the caller may read", async () => {
    const open = await createCollection(gateway, "Open shelf", [file.id])
    const closed = await createCollection(gateway, "Closed shelf", [file.id])
    expect((await readFilePart("/collections", eve.key)).status).toBe(404)
    const access_grants = [{ principal_type: "user", principal_id: eve.id, permission: "read" }]
    await gateway.call("POST", `/api/v1/knowledge/${open}/update`, { access_grants })
    expect((await readFilePart("/collections", eve.key)).body.items).toEqual([
      { id: open, name: "Open shelf" },
    ])
    expect((await readFilePart("/collections")).body.items).toEqual([
      { id: closed, name: "Closed shelf" },
      { id: open, name: "Open shelf" },
    ])
    const collection = await gateway.call("GET", `/api/v1/knowledge/${open}`)
    expect(collection.body.embedding_model).toBe(null)
  })

  it("sends file and collection events only to users with access", async () => {
    const access_grants = [{ principal_type: "user", principal_id: eve.id, permission: "read" }]
    const collection = await createCollection(gateway, "Live shelf")
    await gateway.call("POST", `/api/v1/knowledge/${collection}/update`, { access_grants })
    const mallory = await gateway.createUser("Mallory")
    const pages = await Promise.all(
      [eve.key, mallory.key].map((key) => followEventStream(gateway.url, "/api/v1/events", key)),
    )
    const [reader, stranger] = pages
    const { body: fresh } = await upload(gateway, "ants.txt", "Ants march.", { query: processNow })
    await gateway.call("POST", `/api/v1/knowledge/${collection}/file/add`, { file_id: fresh.id })
    await reader?.waitFor(({ name, data }) => name === "collections" && data.id === collection)
    await gateway.call("POST", `/api/v1/files/${fresh.id}/process`)
    await reader?.waitFor(({ name, data }) => name === "files" && data.id === fresh.id)
    const names = stranger?.events.map(({ name }) => name) ?? []
    expect(names.filter((name) => name === "files" || name === "collections")).toEqual([])
    for (const page of pages) page.leave()
  })
})
