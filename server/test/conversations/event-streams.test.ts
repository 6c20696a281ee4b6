import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection } from "../knowledge/collections.ts"
import { followEventStream } from "./chat-client.ts"

const grantTo = (principal_type: "user" | "group", principal_id: string) => ({
  principal_type,
  principal_id,
  permission: "read",
})

describe.each(chooseDatabases())("open event streams on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const shareWithGroup = async (name: string, members: string[]) => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name })
    const move = (verb: "add" | "remove", user_ids: string[]) =>
      gateway.call("POST", `/api/v1/groups/${group.id}/members/${verb}`, { user_ids })
    await move("add", members)
    const id = await createCollection(gateway, name)
    const change = (body: object) => gateway.call("POST", `/api/v1/knowledge/${id}/update`, body)
    await change({ access_grants: [grantTo("group", group.id)] })
    return { move, change, isAbout: isAbout(id) }
  }

  const isAbout =
    (id: string) =>
    ({ name, data }: { name: string; data: { id?: string } }): boolean =>
      name === "collections" && data.id === id

  const open = (key: string) => followEventStream(gateway.url, "/api/v1/events", key)

  it("stop sending events about a group's collections when the user leaves the group", async () => {
    const [leaver, stayer] = [await gateway.createUser("Lea"), await gateway.createUser("Stan")]
    const shared = await shareWithGroup("Leavers", [leaver.id, stayer.id])
    const [left, stayed] = [await open(leaver.key), await open(stayer.key)]
    await shared.change({ description: "one" })
    await left.waitFor(shared.isAbout)
    await stayed.waitFor(shared.isAbout)
    await shared.move("remove", [leaver.id])
    const seen = left.events.filter(shared.isAbout).length
    await shared.change({ description: "two" })
    await shared.change({ description: "three" })
    const last = await createCollection(gateway, "Said after all others")
    const readers = [leaver, stayer].map(({ id }) => grantTo("user", id))
    await gateway.call("POST", `/api/v1/knowledge/${last}/update`, { access_grants: readers })
    await left.waitFor(isAbout(last))
    await stayed.waitFor(isAbout(last))
    expect(left.events.filter(shared.isAbout)).toHaveLength(seen)
    expect(stayed.events.filter(shared.isAbout).length).toBeGreaterThanOrEqual(3)
    for (const page of [left, stayed]) page.leave()
  })

  it("send events about a group's collections as soon as the user joins the group", async () => {
    const joiner = await gateway.createUser("June")
    const shared = await shareWithGroup("Joiners", [])
    const page = await open(joiner.key)
    await shared.move("add", [joiner.id])
    await shared.change({ description: "hello" })
    await page.waitFor(shared.isAbout)
    page.leave()
  })

  it("stop sending events about others' collections to a demoted administrator", async () => {
    const boss = await gateway.createUser("Boss")
    const role = (role: string) => gateway.call("POST", `/api/v1/users/${boss.id}/update`, { role })
    await role("admin")
    const page = await open(boss.key)
    const hidden = await shareWithGroup("Hidden", [])
    await page.waitFor(hidden.isAbout)
    await role("user")
    const seen = page.events.filter(hidden.isAbout).length
    await hidden.change({ description: "secret" })
    const shown = await shareWithGroup("Shown", [boss.id])
    await page.waitFor(shown.isAbout)
    expect(page.events.filter(hidden.isAbout)).toHaveLength(seen)
    page.leave()
  })
})
