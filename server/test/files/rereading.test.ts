import { rmSync } from "node:fs"
import { join } from "node:path"
import { readerVersion } from "@portico/extract"
import { packIndexSegment } from "@portico/search"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Database } from "../../src/db/database.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { createCollection, upload, uploadAndEmbed } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const oldText = "What an older version read: marmalade."
const processNow = "?process_in_background=false"

/** Makes files look as if an older version had read them. */
const makeOutdated = (db: Database, ids: readonly string[]): Promise<void> =>
  db.transact(async (tx) => {
    const versions = { reader_version: 1, attempted_reader_version: 1 }
    await tx.updateTable("files").set(versions).where("id", "in", ids).execute()
  })

/** Replaces the texts of files by one that an older version read. */
const makeOld = async (db: Database, ids: readonly string[]): Promise<void> => {
  await makeOutdated(db, ids)
  await db.transact(async (tx) => {
    for (const id of ids) {
      await tx.updateTable("file_texts").set({ text: oldText }).where("file_id", "=", id).execute()
      await tx.deleteFrom("passages").where("file_id", "=", id).where("position", ">", 0).execute()
      const passage = { text: oldText, starts: 0, ends: oldText.length, place: "{}" }
      await tx.updateTable("passages").set(passage).where("file_id", "=", id).execute()
      const data = packIndexSegment([oldText])
      await tx.updateTable("file_words").set({ data }).where("file_id", "=", id).execute()
      const shape = { passages: 1, text_length: oldText.length }
      await tx.updateTable("files").set(shape).where("id", "=", id).execute()
    }
  })
}

describe.each(chooseDatabases())("after an upgrade on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  beforeEach(async () => {
    database = await createDatabase()
    gateway = await startGateway(database.env)
  })
  afterEach(async () => {
    await gateway.stop()
    await database.remove()
  })
  afterAll(killAllGateways)

  const restart = async (env: Record<string, string> = {}): Promise<void> => {
    await gateway.stop()
    gateway = await startGateway({ ...database.env, ...env })
  }
  const add = async (name: string, text: string): Promise<string> => {
    const { body } = await upload(gateway, name, text, { query: processNow })
    return body.id
  }
  const recordOf = async (id: string) => (await gateway.call("GET", `/api/v1/files/${id}`)).body
  const textOf = async (id: string): Promise<string> =>
    (await gateway.call("GET", `/api/v1/files/${id}/data/content`)).body.content
  const versionOf = async (id: string) => {
    const files = gateway.gateway.db.read.selectFrom("files").where("id", "=", id)
    return files.select("attempted_reader_version").executeTakeFirstOrThrow()
  }
  const find = async (collection: string, query: string): Promise<string[]> => {
    const path = `/api/v1/knowledge/${collection}/query`
    const { body } = await gateway.call("POST", path, { query })
    return body.passages.map(({ text }: { text: string }) => text)
  }
  const rereading = async () =>
    (await gateway.call("GET", "/api/v1/admin/overview")).body.files.rereading

  it("files are read again, and can be found all the time", async () => {
    const text = "Apricots ripen in July. They keep for a week."
    const ids = [await add("apricots.txt", text), await add("copy.txt", text)]
    const collection = await createCollection(gateway, "Fruit", ids)
    expect(await rereading()).toBeNull()
    await makeOld(gateway.gateway.db, ids)
    expect(await rereading()).toEqual({ done: 0, total: 2 })
    const metrics = async () => (await gateway.call("GET", "/metrics")).body
    await expect.poll(metrics, { timeout: 15_000 }).toContain("portico_files_to_reread 2")
    await restart()
    const seen = new Set<string>()
    for (let found = ""; found !== text; ) {
      const [first = "nothing"] = await find(collection, "apricots marmalade")
      found = first
      seen.add(first)
      expect((await recordOf(ids[0] ?? "")).data.status).toBe("completed")
    }
    expect([oldText, text]).toEqual(expect.arrayContaining([...seen]))
    await expect.poll(rereading).toBeNull()
    expect(await Promise.all(ids.map(textOf))).toEqual([text, text])
    expect(await find(collection, "marmalade")).not.toContain(oldText)
  }, 30_000)

  it("an answer's passage is found at its new place", async () => {
    const text = `${"A page of figs. ".repeat(30)}\n\nQuinces need   cooking, always and everywhere.`
    const id = await add("figs.txt", text)
    const cited = "Quinces need cook-\ning, always and every-\nwhere."
    const path = `/api/v1/files/${id}/passages/locate`
    const { body } = await gateway.call("POST", path, { text: cited, near: 10_000 })
    const content = await textOf(id)
    expect(content.slice(body.found.start, body.found.end)).toMatch(/^Quinces need.+everywhere$/)
    const absent = await gateway.call("POST", path, { text: "Medlars must be bletted before use." })
    expect(absent.body).toEqual({ found: null })
    const { key } = await gateway.createUser("Uma")
    expect((await gateway.call("POST", path, { text: cited }, { key })).status).toBe(404)
  })

  it("a file whose text cannot be read again keeps it, with a warning", async () => {
    const lost = await add("lost.txt", "Pears.")
    const large = await add("large.txt", "Plums. ".repeat(3000))
    await makeOld(gateway.gateway.db, [lost, large])
    const { hash } = await recordOf(lost)
    rmSync(join(database.dataDir, "objects", hash.slice(0, 2), hash.slice(2, 4), hash))
    await restart({ MAX_STORAGE: "10KB/1GB" })
    await expect.poll(rereading, { timeout: 15_000 }).toBeNull()
    for (const [id, reason] of [
      [lost, "missing from the gateway's storage"],
      [large, "MAX_STORAGE"],
    ] as const) {
      const { data } = await recordOf(id)
      expect(data).toMatchObject({
        ...{ status: "completed", error: null },
        warnings: [{ code: "not_read_again", message: expect.stringContaining(reason) }],
      })
      expect(await textOf(id)).toBe(oldText)
    }
    await restart()
    expect(await rereading()).toBeNull()
    await gateway.call("POST", `/api/v1/files/${large}/process`)
    await expect.poll(async () => (await recordOf(large)).data.warnings).toEqual([])
    expect(await textOf(large)).toContain("Plums. Plums.")
  })

  it("a file that could not be read is tried once more", async () => {
    const readable = await add("readable.txt", "Grapes.")
    const empty = await add("empty.txt", " \n ")
    const { db } = gateway.gateway
    await db.transact(async (tx) => {
      const failed = { status: "failed", passages: null, error: "Old.", error_code: "unsupported" }
      await tx.updateTable("files").set(failed).where("id", "in", [readable, empty]).execute()
    })
    await makeOutdated(db, [readable, empty])
    await restart()
    await expect.poll(rereading).toBeNull()
    const { data } = await recordOf(readable)
    expect(data).toMatchObject({ status: "completed", error: null, error_code: null })
    expect(await textOf(readable)).toBe("Grapes.")
    expect((await recordOf(empty)).data).toMatchObject({ status: "failed", error_code: "empty" })
  })

  it("files whose text stays the same keep their embeddings", async () => {
    const upstream = await startFakeOpenAI({ dimensions: 16 })
    await restart({ OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["embed-fake"])
    const model = async () => (await gateway.call("GET", "/api/v1/embedding-model")).body.model
    await expect.poll(model).not.toBeNull()
    const same = await uploadAndEmbed(gateway, "same.txt", "Cherries have stones.")
    const changed = await uploadAndEmbed(gateway, "changed.txt", "Melons have seeds.")
    const { db } = gateway.gateway
    await makeOutdated(db, [same.id])
    await makeOld(db, [changed.id])
    upstream.requests.length = 0
    await restart({ OPENAI_API_BASE_URLS: upstream.url })
    const state = async (id: string) => {
      const { embedding, progress } = (await recordOf(id)).data
      return { embedding, ...progress }
    }
    await expect.poll(rereading).toBeNull()
    const complete = { embedding: null, passages: 1, embedded: 1 }
    await expect.poll(() => state(changed.id)).toMatchObject(complete)
    expect(await state(same.id)).toMatchObject(complete)
    const sent = upstream.requests
      .filter(({ path }) => path.endsWith("/embeddings"))
      .flatMap(({ body }): string[] => JSON.parse(body.toString()).input)
    expect(sent).toEqual(["Melons have seeds."])
    await upstream.close()
  })

  it("rereading goes on after a crash, and new files come first", async () => {
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await add(`${n}.txt`, `Berries of kind ${n} are red.`))
    await makeOld(gateway.gateway.db, ids)
    await gateway.stop()
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
    const read = async (url: string, path: string): Promise<any> => {
      const headers = { authorization: `Bearer ${gateway.key}` }
      return (await fetch(url + path, { headers })).json()
    }
    const progress = async (url: string) =>
      (await read(url, "/api/v1/admin/overview")).files.rereading
    const dying = await startTestGatewayProcess(database.env)
    while ((await progress(dying.url))?.done === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await dying.kill()
    const next = await startTestGatewayProcess(database.env)
    const { status } = await upload(next, "new.txt", "Olives.", { query: processNow })
    expect(status).toBe(200)
    await expect.poll(() => progress(next.url), { timeout: 30_000 }).toBeNull()
    for (const [n, id] of ids.entries()) {
      const { content } = await read(next.url, `/api/v1/files/${id}/data/content`)
      expect(content).toBe(`Berries of kind ${n} are red.`)
    }
    await next.kill()
    gateway = await startGateway(database.env)
    expect(await versionOf(ids[0] ?? "")).toEqual({ attempted_reader_version: readerVersion })
  }, 60_000)
})
