import { renameSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFileStore } from "../../src/files/file-store.ts"
import { createPassageStore } from "../../src/files/passage-store.ts"
import { createTextWriter } from "../../src/files/text-writer.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

const query = "?process_in_background=false"
/** "Привет, мир" in windows-1251, which reads as other letters in other encodings. */
const bytes = Buffer.from("cff0e8e2e5f22c20ece8f0", "hex")

describe.each(chooseDatabases())("the text of a file with the same content on $name", (kind) => {
  let database: TestDatabase
  let gateway: TestGateway
  beforeAll(async () => {
    database = await kind.createDatabase()
    gateway = await startGateway(database.env)
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const add = async (name: string, content: string | Uint8Array) =>
    (await upload(gateway, name, content, { query })).body
  const process = async (id: string, body?: object) => {
    await gateway.call("POST", `/api/v1/files/${id}/process`, body)
    await gateway.call("GET", `/api/v1/files/${id}/process/status?stream=true`)
    return (await gateway.call("GET", `/api/v1/files/${id}`)).body.data
  }
  const textOf = async (id: string): Promise<string> =>
    (await gateway.call("GET", `/api/v1/files/${id}/data/content`)).body.content

  const createWriter = () => {
    const { db } = gateway.gateway
    const store = createFileStore(db)
    const passages = createPassageStore(db)
    const writer = createTextWriter({
      ...{ db, store, passages, now: Date.now },
      bus: { publish: async () => {}, subscribe: () => () => {}, close: async () => {} },
      storage: {
        reserve: async () => () => {},
        writeWithinLimit: (_additions, write) => write(),
        recordStored: () => {},
        usage: () => Promise.reject(new Error("unused")),
      },
      hooks: { onSearchable: async () => false },
    })
    const stored = async (id: string) => {
      const file = await store.byId(id)
      if (!file) throw new Error("The file is missing.")
      return file
    }
    return { writer, stored }
  }

  it("is not copied if that file was deleted or processed again since it was found", async () => {
    const one = await add("one.txt", "Larks sing at dawn.")
    const two = await add("two.txt", "Larks sing at dawn.")
    const { writer, stored } = createWriter()
    const found = await stored(one.id)
    const target = await stored(two.id)
    await gateway.gateway.db.transact(async (tx) => {
      const replaced = { text_revision: found.text_revision + 1 }
      await tx.updateTable("files").set(replaced).where("id", "=", one.id).execute()
    })
    expect(await writer.copy(target, found)).toBe(false)
    expect(await writer.copy(target, await stored(one.id))).toBe(true)
    const beforeDeletion = await stored(one.id)
    await gateway.call("DELETE", `/api/v1/files/${one.id}`)
    expect(await writer.copy(await stored(two.id), beforeDeletion)).toBe(false)
    expect(await textOf(two.id)).toBe("Larks sing at dawn.")
  })

  it("is not replaced by a process that was paused while another wrote it", async () => {
    const { id } = await add("robins.txt", "Robins stay in winter.")
    const { writer, stored } = createWriter()
    const paused = { ...(await stored(id)), passages: null, status: "processing", text_revision: 0 }
    const text = "Robins"
    const read = {
      ...{ text, format: "text", pages: null, warnings: [], index: new Uint8Array() },
      ...{ documentDate: null, language: null },
      passages: [{ starts: 0, ends: text.length, location: "{}" }],
    }
    const write = writer.write(paused, read, new AbortController().signal)
    await expect(write).rejects.toThrow("processed by another job")
    expect(await textOf(id)).toBe("Robins stay in winter.")
  })

  it("is not copied from a text that was kept because reading failed", async () => {
    const one = await add("kept.txt", bytes)
    const other = await add("other.txt", bytes)
    const object = join(database.dataDir, "objects", one.hash.slice(0, 2), one.hash.slice(2, 4))
    renameSync(join(object, one.hash), join(object, "away"))
    const kept = await process(one.id, { encoding: "koi8-r" })
    expect(kept.encoding).toBe("koi8-r")
    expect(JSON.stringify(kept.warnings)).toContain("missing from the gateway's storage")
    renameSync(join(object, "away"), join(object, one.hash))
    await process(other.id, { encoding: "koi8-r" })
    expect(await textOf(other.id)).toBe("оПХБЕР, ЛХП")
    expect(await textOf(one.id)).not.toBe("оПХБЕР, ЛХП")
  })
})
