import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { postgresDatabase } from "../harness/databases.ts"
import { startGateway } from "../harness/gateway.ts"
import { createScimClient, describeScim, scimToken } from "./scim-client.ts"

let upstream: FakeOpenAI
beforeAll(async () => {
  upstream = await startFakeOpenAI({ apiKey: "up-key" })
})
afterAll(() => upstream.close())

const deactivate = { op: "replace", path: "active", value: false }

describeScim("SCIM groups", (client) => {
  it("can hold grants: members, and only members, get the access", async () => {
    const { gateway, createGroup, patch } = client()
    await gateway.call("POST", "/api/v1/connections/create", {
      kind: "openai",
      name: "fake",
      base_url: upstream.url,
      api_key: "up-key",
    })
    const { id, key } = await gateway.createUser("Granted")
    const readers = await createGroup("Readers")
    const grant = { principal_type: "group", principal_id: readers.id, permission: "read" }
    const made = await gateway.call("POST", "/api/v1/models/create", {
      id: "house-model",
      name: "House",
      base_model_id: "gpt-fake",
      access_grants: [grant],
    })
    expect(made.status).toBe(200)
    const seesModel = async (): Promise<boolean> => {
      const { body } = await gateway.call("GET", "/v1/models", undefined, { key })
      return body.data.some((model: { id: string }) => model.id === "house-model")
    }
    expect(await seesModel()).toBe(false)
    const member = [{ value: id }]
    await patch(`/Groups/${readers.id}`, { op: "add", path: "members", value: member })
    expect(await seesModel()).toBe(true)
    await patch(`/Groups/${readers.id}`, { op: "remove", path: "members", value: member })
    expect(await seesModel()).toBe(false)
    await patch(`/Groups/${readers.id}`, { op: "add", path: "members", value: member })
    expect(await seesModel()).toBe(true)
    expect(await client().call("DELETE", `/Groups/${readers.id}`)).toMatchObject({ status: 204 })
    expect(await seesModel()).toBe(false)
  })

  it("are returned with all members, however many, in every form and list", async () => {
    const { call, createUser, createGroup, patch } = client()
    const ids: string[] = []
    for (let at = 0; at < 2600; at += 20) {
      const made = Array.from({ length: 20 }, (_, index) => createUser(`many${at + index}`))
      for (const { id } of await Promise.all(made)) ids.push(id)
    }
    const { id } = await createGroup('Many \\u0000 "\\u0000"', ids.slice(0, 1000))
    const path = `/Groups/${id}`
    const value = ids.slice(1000).map((member) => ({ value: member }))
    const { body: patched } = await patch(path, { op: "add", path: "members", value })
    const location = new URL("../Users/", patched.meta.location).href
    const allMembers = ids.sort().map((member) => ({
      value: member,
      $ref: location + member,
      type: "User",
    }))
    expect(patched.members).toEqual(allMembers)
    const { body: read, headers } = await call("GET", path)
    expect(read).toEqual(patched)
    expect(headers.get("content-type")).toBe("application/scim+json")
    const { body: parts } = await call("GET", `${path}?attributes=members.value,displayName`)
    expect(parts.members).toEqual(ids.map((member) => ({ value: member })))
    expect(parts.displayName).toBe(read.displayName)
    expect((await call("GET", `${path}?excludedAttributes=members`)).body.members).toBeUndefined()
    await createGroup("None of many")
    const { body: list } = await call("GET", "/Groups")
    const membersOf = (name: string) =>
      list.Resources.find(({ displayName }: { displayName: string }) => displayName === name)
        ?.members
    expect(membersOf(read.displayName)).toEqual(allMembers)
    expect(membersOf("None of many")).toEqual([])
    expect((await call("HEAD", path)).status).toBe(200)
  })

  it("contain users with the e-mail address that an administrator changed", async () => {
    const { gateway, call } = client()
    const { id } = await gateway.createUser("Renamed")
    await gateway.call("POST", `/api/v1/users/${id}/update`, { email: "new@example.com" })
    const { body } = await call("GET", `/Users/${id}`)
    expect(body).toMatchObject({
      userName: "new@example.com",
      emails: [{ value: "new@example.com" }],
    })
  })
})

describe.each(postgresDatabase ? [postgresDatabase] : [])(
  "Two replicas on $name",
  ({ createDatabase }) => {
    it("end access on both within two seconds of a deactivation on one", async () => {
      const database = await createDatabase()
      const env = {
        ...database.env,
        SCIM_ENABLED: "true",
        SCIM_TOKEN: scimToken,
        SCIM_RATE_LIMIT: "off",
      }
      const [first, second] = [await startGateway(env), await startGateway(env)]
      try {
        const { id, key } = await first.createUser("Remote")
        const status = async () =>
          (await second.call("GET", "/api/v1/auths/", undefined, { key })).status
        expect(await status()).toBe(200)
        await createScimClient(first).patch(`/Users/${id}`, deactivate)
        await vi.waitFor(async () => expect(await status()).toBe(401), { timeout: 2000 })
      } finally {
        await first.stop()
        await second.stop()
        await database.remove()
      }
    })
  },
)
