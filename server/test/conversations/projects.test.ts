import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

describe.each(chooseDatabases())("projects on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
  })
  afterAll(() => stop())

  const createClient = async (name: string) => {
    const { key, id } = await gateway.createUser(name)
    const folders = (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/api/v1/folders${path}`, body, { key })
    return { ...createChatClient(gateway, key), folders, key, id }
  }
  type Client = Awaited<ReturnType<typeof createClient>>
  const namesOf = async ({ folders }: Client): Promise<string[]> =>
    (await folders("GET", "/")).body.map(({ name }: { name: string }) => name)
  const foldersOf = async ({ call }: Client): Promise<(string | null)[]> =>
    (await call("GET", "/")).body.items.map(({ folder }: { folder: string | null }) => folder)
  const lastRequest = () => {
    const request = upstream.requests.findLast(({ path }) => /chat/.test(path))
    return request?.json as { messages: { role: string; content: string }[] }
  }

  it("are created, listed, changed and deleted by their owner alone", async () => {
    const ada = await createClient("Ada")
    const { body: project } = await ada.folders("POST", "/", { name: "Tides" })
    expect(project).toMatchObject({ name: "Tides", instructions: "", model: null, files: [] })
    await ada.folders("POST", "/", { name: "Ports", model: "gpt-fake" })
    expect(await namesOf(ada)).toEqual(["Ports", "Tides"])
    const page = await ada.folders("GET", "/?page=1&page_size=1&query=tid")
    expect(page.body).toEqual({ items: [project], total: 1 })
    expect((await ada.folders("POST", "/", { name: "Tides" })).status).toBe(409)
    const changes = { instructions: "Be brief.", name: "Tide tables" }
    const changed = await ada.folders("POST", `/${project.id}/update`, changes)
    expect(changed.body).toMatchObject({ ...changes, model: null })
    const taken = await ada.folders("POST", `/${project.id}/update`, { name: "Ports" })
    expect(taken.status).toBe(409)
    expect((await ada.folders("GET", `/${project.id}`)).body).toEqual(changed.body)

    const bob = await createClient("Bob")
    for (const [method, path, body] of [
      ["GET", `/${project.id}`, undefined],
      ["POST", `/${project.id}/update`, { name: "Mine" }],
      ["DELETE", `/${project.id}`, undefined],
    ] as const) {
      expect((await bob.folders(method, path, body)).status).toBe(404)
    }
    expect(await namesOf(bob)).toEqual([])
    expect((await ada.folders("DELETE", `/${project.id}`)).status).toBe(200)
    expect(await namesOf(ada)).toEqual(["Ports"])
  })

  it("contain the chats with their name as folder, which are renamed and kept with them", async () => {
    const ada = await createClient("Filer")
    const id = await ada.createChat({ folder: "Old" })
    expect(await namesOf(ada)).toEqual(["Old"])
    await ada.call("POST", `/${id}`, { folder: "Moved" })
    expect(await namesOf(ada)).toEqual(["Moved", "Old"])
    const { body: projects } = await ada.folders("GET", "/")
    const [moved] = projects
    await ada.folders("POST", `/${moved.id}/update`, { name: "Renamed" })
    expect(await foldersOf(ada)).toEqual(["Renamed"])
    const outside = await ada.createChat({ title: "Outside" })
    const listWith = async (query: string): Promise<string[]> => {
      const { body } = await ada.call("GET", `/?${query}`)
      return body.items.map((chat: { id: string }) => chat.id)
    }
    expect(await listWith("folder=Renamed")).toEqual([id])
    expect(await listWith("without_folder=1")).toEqual([outside])
    await ada.call("DELETE", `/${outside}`)
    await ada.folders("DELETE", `/${moved.id}`)
    expect(await foldersOf(ada)).toEqual([null])
    expect((await ada.call("GET", `/${id}`)).status).toBe(200)
  })

  it("give their chats a model, instructions and files", async () => {
    const ada = await createClient("Owner")
    const query = "?process_in_background=false"
    const file = await upload(gateway, "tides.md", "High water at Brest is at six.", {
      query,
      key: ada.key,
    })
    const secret = await upload(gateway, "secret.md", "Only the administrator reads this.", {
      query,
    })
    const files = [{ type: "file", id: file.body.id }]
    const foreign = [...files, { type: "file", id: secret.body.id }]
    const input = { name: "Brest", instructions: "Answer as a pilot.", model: "gpt-fake" }
    expect((await ada.folders("POST", "/", { ...input, files: foreign })).status).toBe(404)
    const { body: project } = await ada.folders("POST", "/", { ...input, files })
    expect(project.files).toEqual([{ type: "file", id: file.body.id, name: "tides.md" }])

    const fields = { folder: "Brest", system: "Use metres.", models: undefined }
    const id = await ada.createChat(fields)
    const [, answer] = await ada.sendMessage(id, { content: "When is high water at Brest?" })
    expect(answer).toMatchObject({ model: "gpt-fake", state: "completed" })
    expect(answer.sources).toMatchObject([{ name: "tides.md" }])
    expect(lastRequest().messages[0]?.content).toMatch(/Answer as a pilot\.\n\nUse metres\.$/)

    // The answer does not fail because a file is gone.
    await gateway.call("DELETE", `/api/v1/files/${file.body.id}`, undefined, { key: ada.key })
    const [, next] = await ada.sendMessage(id, { content: "And now?" })
    expect(next).toMatchObject({ state: "completed", sources: null })
    const kept = await ada.folders("POST", `/${project.id}/update`, { files: project.files })
    expect(kept.body.files).toEqual(project.files)

    await ada.call("POST", `/${id}`, { folder: null })
    await ada.sendMessage(id, { content: "Outside" })
    expect(lastRequest().messages[0]).toEqual({ role: "system", content: "Use metres." })
  })

  it("are limited in number and recorded in the audit log", async () => {
    const ada = await createClient("Many")
    const collection = await createCollection(gateway, "Shared", [])
    const files = Array(51).fill({ type: "collection", id: collection })
    expect((await ada.folders("POST", "/", { name: "Files", files })).status).toBe(422)
    const { body: first } = await ada.folders("POST", "/", { name: "0" })
    for (let n = 1; n < 200; n++) await ada.folders("POST", "/", { name: String(n) })
    const refused = await ada.folders("POST", "/", { name: "Too many" })
    expect(refused).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    // A folder remains possible, but not as a project.
    await ada.createChat({ folder: "Too many" })
    expect(await namesOf(ada)).not.toContain("Too many")
    expect(await foldersOf(ada)).toEqual(["Too many"])

    await ada.folders("POST", `/${first.id}/update`, { instructions: "New" })
    await ada.folders("DELETE", `/${first.id}`)
    const { body } = await gateway.call("GET", `/api/v1/audit?target=${first.id}`)
    expect(body.items.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      "project.created",
      "project.deleted",
      "project.updated",
    ])
  })
})
