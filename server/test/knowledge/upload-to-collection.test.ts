import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { adminKey, startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection } from "./collections.ts"

describe.each(chooseDatabases())("uploads to a collection on $name", ({ name, createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const upload = async (
    text: string,
    metadata: unknown,
    { key = adminKey, filename = "note.txt" } = {},
  ) => {
    const form = new FormData()
    form.append("file", new Blob([text]), filename)
    form.append("metadata", JSON.stringify(metadata))
    const response = await fetch(`${gateway.url}/api/v1/files/`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
    const body: any = await response.json()
    return { status: response.status, body }
  }
  const filesOf = async (id: string): Promise<string[]> => {
    const { body } = await gateway.call("GET", `/api/v1/knowledge/${id}/files`)
    return body.items.map((file: { id: string }) => file.id)
  }
  const countFiles = async (key = adminKey): Promise<number> =>
    (await gateway.call("GET", "/api/v1/files/", undefined, { key })).body.total

  it("adds the file to the collection named in its metadata", async () => {
    const id = await createCollection(gateway, "Notes")
    const { status, body } = await upload("Tea at four.", { knowledge_id: id })
    expect(status).toBe(200)
    expect(await filesOf(id)).toEqual([body.id])
  })

  it("stores nothing if the collection does not exist or is not writable", async () => {
    const id = await createCollection(gateway, "Read only")
    const { id: user, key } = await gateway.createUser(`Kim${name}`)
    const missing = await upload("Not kept.", { knowledge_id: "nothing" }, { key })
    expect(missing).toMatchObject({ status: 404, body: { code: "not_found" } })
    expect((await upload("Not kept.", { knowledge_id: id }, { key })).status).toBe(404)
    const access_grants = [{ principal_type: "user", principal_id: user, permission: "read" }]
    await gateway.call("POST", `/api/v1/knowledge/${id}/update`, { access_grants })
    expect((await upload("Not kept.", { knowledge_id: id }, { key })).status).toBe(403)
    expect((await upload("Not kept.", { knowledge_id: 5 }, { key })).status).toBe(400)
    expect(await countFiles(key)).toBe(0)
    expect(await filesOf(id)).toEqual([])
  })

  it("creates one file for identical bytes uploaded concurrently", async () => {
    const id = await createCollection(gateway, "Once")
    const before = await countFiles()
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        upload("The same bytes.", { knowledge_id: id }, { filename: `copy${at}.txt` }),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const ids = new Set(replies.map(({ body }) => body.id))
    expect([...ids]).toEqual(await filesOf(id))
    expect(await countFiles()).toBe(before + 1)
    const elsewhere = await createCollection(gateway, "Elsewhere")
    const other = await upload("The same bytes.", { knowledge_id: elsewhere })
    expect(ids.has(other.body.id)).toBe(false)
  })

  it("processes a file that was only stored before", async () => {
    const id = await createCollection(gateway, "Again")
    const form = new FormData()
    form.append("file", new Blob(["Stored at first."]), "later.txt")
    form.append("metadata", JSON.stringify({ knowledge_id: id }))
    await fetch(`${gateway.url}/api/v1/files/?process=false`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: form,
    })
    const { body } = await upload("Stored at first.", { knowledge_id: id })
    expect(body.data.status).toBe("pending")
    expect(await filesOf(id)).toContain(body.id)
  })

  it("rejects a collection in the metadata of a resumable upload", async () => {
    const id = await createCollection(gateway, "Resumable")
    const metadata = Buffer.from(JSON.stringify({ knowledge_id: id })).toString("base64")
    const response = await fetch(`${gateway.url}/api/v1/files/resumable`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${adminKey}`,
        "tus-resumable": "1.0.0",
        "upload-length": "5",
        "upload-metadata": `metadata ${metadata}`,
      },
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("knowledge_id")
  })
})
