import { textEncodings } from "@portico/extract"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"

const processNow = "?process_in_background=false"

describe.each(chooseDatabases())("a file processed again on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const add = async (name: string, content: string | Uint8Array) =>
    (await upload(gateway, name, content, { query: processNow })).body
  const processAgain = (id: string, body?: object) =>
    gateway.call("POST", `/api/v1/files/${id}/process`, body)
  const waitUntilProcessed = async (id: string) => {
    await gateway.call("GET", `/api/v1/files/${id}/process/status?stream=true`)
    return (await gateway.call("GET", `/api/v1/files/${id}`)).body
  }
  const textOf = async (id: string): Promise<string> =>
    (await gateway.call("GET", `/api/v1/files/${id}/data/content`)).body.content

  it("can be found until its new text is complete", async () => {
    const { id } = await add("geese.txt", "Geese fly south.")
    const collection = await createCollection(gateway, "Birds", [id])
    const { body } = await processAgain(id)
    expect(body.data.progress.passages).toBe(1)
    const search = { query: "geese" }
    for (let status = ""; status !== "completed"; ) {
      const found = await gateway.call("POST", `/api/v1/knowledge/${collection}/query`, search)
      expect(found.body.passages.map(({ text }: { text: string }) => text)).toEqual([
        "Geese fly south.",
      ])
      status = (await gateway.call("GET", `/api/v1/files/${id}/process/status`)).body.status
    }
  })

  it("is read with the chosen encoding, which is kept", async () => {
    // "Привет, мир" in windows-1251, which reads as other letters in other encodings.
    const bytes = Buffer.from("cff0e8e2e5f22c20ece8f0", "hex")
    const { id, data } = await add("hello.txt", bytes)
    expect(data.encoding).toBeNull()
    const { body } = await processAgain(id, { encoding: "koi8-r" })
    expect(body.data.encoding).toBe("koi8-r")
    await waitUntilProcessed(id)
    expect(await textOf(id)).toBe("оПХБЕР, ЛХП")
    await processAgain(id)
    await waitUntilProcessed(id)
    expect(await textOf(id)).toBe("оПХБЕР, ЛХП")
    // The same bytes with another choice are not a duplicate.
    const other = await add("hello.txt", bytes)
    await processAgain(other.id, { encoding: "windows-1251" })
    await waitUntilProcessed(other.id)
    expect(await textOf(other.id)).toBe("Привет, мир")
    expect(await textOf(id)).toBe("оПХБЕР, ЛХП")
    const { body: reset } = await processAgain(id, { encoding: null })
    expect(reset.data.encoding).toBeNull()
    await waitUntilProcessed(id)
    expect(await textOf(id)).not.toBe("оПХБЕР, ЛХП")
  })

  it("is not changed by an unknown encoding, and the error lists those that exist", async () => {
    const { id } = await add("ducks.txt", "Ducks swim.")
    const { status, body } = await processAgain(id, { encoding: "ebcdic" })
    expect(status).toBe(400)
    for (const encoding of textEncodings) expect(JSON.stringify(body)).toContain(encoding)
    expect((await gateway.call("GET", `/api/v1/files/${id}`)).body.data.status).toBe("completed")
  })
})
