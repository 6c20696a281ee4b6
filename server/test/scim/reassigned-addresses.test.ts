import { describe, expect, it } from "vitest"
import { adminKey, startGateway } from "../harness/gateway.ts"
import {
  createScimClient,
  describeScim,
  errorSchema,
  type ScimClient,
  scimToken,
  userSchema,
} from "./scim-client.ts"

const conflict = {
  status: 409,
  body: { schemas: [errorSchema], status: "409", scimType: "uniqueness" },
}
let count = 0

describeScim("A recycled address", (client) => {
  const postUser = (userName: string, more: object = {}) =>
    client().call("POST", "/Users", { schemas: [userSchema], userName, ...more })
  const putUser = (id: string, userName: string, more: object) =>
    client().call("PUT", `/Users/${id}`, { schemas: [userSchema], userName, ...more })
  const callUsersApi = (method: string, path: string, body?: unknown) =>
    client().gateway.call(method, `/api/v1/users/${path}`, body)
  const replaceAttributes = (id: string, value: object) =>
    client().patch(`/Users/${id}`, { op: "replace", value })

  /** Creates an account for the first person and ends it with DELETE. */
  const createDeletedUser = async (externalId: string | null = "first") => {
    const name = `recycled${++count}`
    const user = await client().createUser(name, { externalId })
    const email = `${name}@example.org`
    expect((await client().call("DELETE", `/Users/${user.id}`)).status).toBe(204)
    return { id: user.id as string, email }
  }
  const readUser = async (id: string) => (await client().call("GET", `/Users/${id}`)).body

  it("matches the inactive account, which its own externalId restores", async () => {
    const { id, email } = await createDeletedUser()
    const found = await client().find("Users", `userName eq "${email}"`)
    expect(found.body.Resources).toMatchObject([{ id, active: false, externalId: "first" }])
    expect((await replaceAttributes(id, { active: true })).body.active).toBe(true)
    expect((await client().call("DELETE", `/Users/${id}`)).status).toBe(204)
    expect((await replaceAttributes(id, { active: true, externalId: "first" })).body.active).toBe(
      true,
    )
    expect((await client().call("DELETE", `/Users/${id}`)).status).toBe(204)
    expect(await postUser(email, { externalId: "first" })).toMatchObject({
      status: 201,
      body: { id },
    })
  })

  it.each<[string, (id: string, email: string) => Promise<{ status: number; body: unknown }>]>([
    ["PATCH of both", (id) => replaceAttributes(id, { active: true, externalId: "second" })],
    [
      "PATCH by path",
      (id) => client().patch(`/Users/${id}`, { op: "add", path: "externalId", value: "second" }),
    ],
    ["PUT", (id, email) => putUser(id, email, { active: true, externalId: "second" })],
    ["POST", (_, email) => postUser(email, { externalId: "second" })],
    ["POST in upper case", (_, email) => postUser(email.toUpperCase(), { externalId: "FIRST" })],
  ])("does not give the first person's account to the second: %s", async (_how, reassign) => {
    const { id, email } = await createDeletedUser()
    const answer = await reassign(id, email)
    expect(answer).toMatchObject(conflict)
    const { detail } = answer.body as { detail: string }
    expect(detail).toContain("release")
    expect(detail).toContain("externalId")
    expect(await readUser(id)).toMatchObject({ active: false, externalId: "first" })
  })

  it("cannot be reassigned in steps, in any order, or through a missing externalId", async () => {
    const { id, email } = await createDeletedUser()
    expect((await replaceAttributes(id, { active: true })).status).toBe(200)
    expect(await replaceAttributes(id, { externalId: "second" })).toMatchObject(conflict)
    expect(
      (await client().patch(`/Users/${id}`, { op: "remove", path: "externalId" })).status,
    ).toBe(200)
    expect((await readUser(id)).externalId).toBeUndefined()
    expect(await replaceAttributes(id, { externalId: "second" })).toMatchObject(conflict)
    expect(await putUser(id, email, { externalId: "second" })).toMatchObject(conflict)
    expect((await replaceAttributes(id, { active: false })).status).toBe(200)
    expect(await replaceAttributes(id, { active: true, externalId: "second" })).toMatchObject(
      conflict,
    )
    // Reactivation by an administrator does not release it either.
    expect((await callUsersApi("POST", `${id}/update`, { active: false })).status).toBe(200)
    expect((await callUsersApi("POST", `${id}/update`, { active: true })).status).toBe(200)
    expect(await replaceAttributes(id, { externalId: "second" })).toMatchObject(conflict)
    expect((await replaceAttributes(id, { externalId: "first" })).body).toMatchObject({
      externalId: "first",
    })
  })

  it("of an account without an externalId accepts one, which is then fixed", async () => {
    const { id } = await createDeletedUser(null)
    expect((await replaceAttributes(id, { active: true, externalId: "second" })).status).toBe(200)
    expect(await replaceAttributes(id, { externalId: "third" })).toMatchObject(conflict)
  })

  it("of an account that was never deleted may get another externalId", async () => {
    const { id } = await client().createUser(`kept${++count}`, { externalId: "first" })
    expect((await replaceAttributes(id, { active: false })).status).toBe(200)
    expect(
      (await replaceAttributes(id, { active: true, externalId: "second" })).body,
    ).toMatchObject({
      active: true,
      externalId: "second",
    })
  })

  it("can be released by an administrator: the old account keeps its data, and POST creates a new one", async () => {
    const { id, email } = await createDeletedUser()
    const before = (await callUsersApi("GET", id)).body
    expect(before).toMatchObject({ email, active: false, released: false, source: "scim" })
    expect(before.deleted_at).toBeGreaterThan(1_700_000_000)
    const released = await callUsersApi("POST", `${id}/release`)
    expect(released).toMatchObject({
      status: 200,
      body: { id, email, active: false, released: true },
    })
    // The account is hidden from the provider, so that no request can reach it.
    expect((await client().call("GET", `/Users/${id}`)).status).toBe(404)
    expect((await replaceAttributes(id, { active: true, externalId: "second" })).status).toBe(404)
    const found = await client().find("Users", `userName eq "${email}"`)
    expect(found.body.totalResults).toBe(0)
    const made = await postUser(email, { externalId: "second" })
    expect(made).toMatchObject({ status: 201, body: { active: true, externalId: "second" } })
    expect(made.body.id).not.toBe(id)
    expect((await callUsersApi("GET", id)).body).toMatchObject({
      id,
      email,
      released: true,
      external_id: "first",
    })
    expect((await callUsersApi("POST", `${id}/release`)).status).toBe(409)
    const back = await callUsersApi("POST", `${id}/update`, { active: true })
    expect(back).toMatchObject({ status: 409, body: { code: "conflict" } })
    const auditLog = await client().gateway.call("GET", `/api/v1/audit/?target=${id}`)
    expect(auditLog.body.items.map(({ action }: { action: string }) => action)).toContain(
      "user.released",
    )
  })

  it("can be released for inactive accounts only, by administrators only", async () => {
    const { id } = await client().createUser(`active${++count}`)
    expect(await callUsersApi("POST", `${id}/release`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Deactivate the account first") },
    })
    expect((await callUsersApi("POST", "nobody/release")).status).toBe(404)
    const { key } = await client().gateway.createUser(`Plain${count}`)
    const refused = await client().gateway.call("POST", `/api/v1/users/${id}/release`, undefined, {
      key,
    })
    expect(refused.status).toBe(403)
  })

  it("can be returned to the old account, whose externalId may then change", async () => {
    const { id } = await createDeletedUser()
    await callUsersApi("POST", `${id}/release`)
    expect((await callUsersApi("POST", `${id}/update`, { active: true })).body).toMatchObject({
      released: false,
    })
    expect((await replaceAttributes(id, { externalId: "renamed" })).body).toMatchObject({
      externalId: "renamed",
    })
  })
})

describeScim("A resource linked by the provider", (client) => {
  const sourceOf = async (noun: "users" | "groups", id: string): Promise<string> =>
    (await client().gateway.call("GET", `/api/v1/${noun}/${id}`)).body.source

  it.each<[string, (scim: ScimClient, id: string) => Promise<{ status: number }>]>([
    [
      "PATCH",
      (scim, id) => scim.patch(`/Users/${id}`, { op: "add", path: "externalId", value: "l" }),
    ],
    [
      "PATCH that changes nothing",
      (scim, id) => scim.patch(`/Users/${id}`, { op: "replace", path: "active", value: true }),
    ],
    [
      "PUT",
      async (scim, id) => {
        const { body } = await scim.call("GET", `/Users/${id}`)
        return scim.call("PUT", `/Users/${id}`, { ...body, displayName: "Linked" })
      },
    ],
  ])("is managed by the provider from then on: an account, by %s", async (_how, linkToProvider) => {
    const { id } = await client().gateway.createUser(`Local${++count}`)
    expect(await sourceOf("users", id)).toBe("local")
    expect((await client().call("GET", `/Users/${id}`)).status).toBe(200)
    expect(await sourceOf("users", id)).toBe("local")
    expect((await linkToProvider(client(), id)).status).toBe(200)
    expect(await sourceOf("users", id)).toBe("scim")
    const rename = { email: `other${count}@example.org` }
    const renamed = await client().gateway.call("POST", `/api/v1/users/${id}/update`, rename)
    expect(renamed.status).toBe(409)
  })

  it("is managed by the provider from then on: a group", async () => {
    const create = "/api/v1/groups/create"
    const made = await client().gateway.call("POST", create, { name: `Local group ${++count}` })
    const { id } = made.body
    const { id: member } = await client().createUser(`member${++count}`)
    expect(await sourceOf("groups", id)).toBe("local")
    await client().patch(`/Groups/${id}`, {
      op: "add",
      path: "members",
      value: [{ value: member }],
    })
    expect(await sourceOf("groups", id)).toBe("scim")
    const path = `/api/v1/groups/${id}/members/remove`
    const moved = await client().gateway.call("POST", path, { user_ids: [member] })
    expect(moved.status).toBe(409)
  })

  it("is not reported as modified by the link alone", async () => {
    const { id } = await client().gateway.createUser(`Still${++count}`)
    const { body } = await client().call("GET", `/Users/${id}`)
    await client().patch(`/Users/${id}`, { op: "replace", path: "active", value: true })
    const after = await client().call("GET", `/Users/${id}`)
    expect(after.body.meta).toEqual(body.meta)
  })
})

describe("with SCIM_DELETE_MODE=hide", () => {
  it("treats deleted addresses like released ones, and shows them as released", async () => {
    const env = { SCIM_ENABLED: "true", SCIM_TOKEN: scimToken, SCIM_DELETE_MODE: "hide" }
    const gateway = await startGateway(env)
    try {
      const scim = createScimClient(gateway)
      const { id } = await scim.createUser("hidden", { externalId: "first" })
      await scim.call("DELETE", `/Users/${id}`)
      const seen = await gateway.call("GET", `/api/v1/users/${id}`, undefined, { key: adminKey })
      expect(seen.body).toMatchObject({ active: false, released: true })
      const next = await scim.createUser("hidden", { externalId: "second" })
      expect(next.id).not.toBe(id)
    } finally {
      await gateway.stop()
    }
  })
})
