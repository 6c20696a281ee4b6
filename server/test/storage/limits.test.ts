import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const beginUpload = ({ url }: TestGateway, key: string, size: number) =>
  fetch(`${url}/api/v1/files/resumable`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "tus-resumable": "1.0.0",
      "upload-length": String(size),
      "upload-metadata": `filename ${btoa("a.txt")}`,
    },
  })

describe.each(chooseDatabases())("stored data on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({
      ...database.env,
      MAX_STORAGE: "10KB/15KB",
      MAX_UNFINISHED_UPLOADS: "2/3",
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  it("is limited per user and in total, including unfinished uploads", async () => {
    const [bob, ada] = [await gateway.createUser("Bob"), await gateway.createUser("Ann")]
    const send = ({ key }: { key: string }, text: string) =>
      upload(gateway, "a.txt", text.padEnd(6000, "."), { key })
    const first = await send(bob, "one")
    expect(first.status).toBe(200)
    const refused = await send(bob, "two")
    expect(refused).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect(refused.body.detail).toMatch(/10 KB \(MAX_STORAGE\): .*files 6 KB.*Delete/)
    expect((await beginUpload(gateway, bob.key, 6000)).status).toBe(413)
    expect((await beginUpload(gateway, ada.key, 6000)).status).toBe(201)
    const full = await beginUpload(gateway, ada.key, 3900)
    expect(full.status).toBe(413)
    expect(await full.text()).toMatch(/exceed the gateway's storage limit of 15 KB/)
    await gateway.call("DELETE", `/api/v1/files/${first.body.id}`, undefined, { key: bob.key })
    expect((await send(bob, "two")).status).toBe(200)
  })

  it("has a limited number of unfinished uploads", async () => {
    const { key } = await gateway.createUser("Eve")
    expect((await beginUpload(gateway, key, 10)).status).toBe(201)
    expect((await beginUpload(gateway, key, 10)).status).toBe(201)
    const refused = await beginUpload(gateway, key, 10)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toMatch(/MAX_UNFINISHED_UPLOADS/)
  })
})

describe.each(chooseDatabases())("concurrent uploads on $name", ({ createDatabase }) => {
  /** @returns the replies of each user, grouped by status */
  const beginConcurrently = async (env: Record<string, string>, names: string[], size: number) => {
    const database = await createDatabase()
    const gateway = await startGateway({ ...database.env, ...env })
    try {
      const users = await Promise.all(names.map(gateway.createUser))
      const all = users.map(({ key }) =>
        Promise.all(Array.from({ length: 20 }, () => beginUpload(gateway, key, size))),
      )
      return (await Promise.all(all)).map((replies) =>
        Object.groupBy(replies, ({ status }) => status),
      )
    } finally {
      await gateway.stop()
      await database.remove()
    }
  }

  it("are limited in number as sequential uploads are", async () => {
    const env = { MAX_UNFINISHED_UPLOADS: "2/3" }
    const [bob, ada] = await beginConcurrently(env, ["Bob", "Ann"], 10)
    const acceptedCounts = [bob, ada].map((replies) => replies?.[201]?.length ?? 0)
    expect(acceptedCounts.toSorted()).toEqual([1, 2])
    const refused = [bob, ada].map((replies) => replies?.[429]?.length ?? 0)
    expect(refused.toSorted()).toEqual([18, 19])
  })

  it("are limited in bytes as sequential uploads are", async () => {
    const env = { MAX_STORAGE: "10KB/15KB" }
    const replies = await beginConcurrently(env, ["Bob", "Ann", "Eve"], 6000)
    expect(replies.map((own) => own[201]?.length ?? 0).toSorted()).toEqual([0, 1, 1])
    expect(replies.map((own) => own[413]?.length ?? 0).toSorted()).toEqual([19, 19, 20])
  })
})
