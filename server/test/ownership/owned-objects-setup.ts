import { expect } from "vitest"
import { startFakeOpenAI } from "../fakes/openai.ts"
import type { TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export interface Person {
  id: string
  email: string
  key: string
}

type Named = Pick<Person, "id">

export const readGrant = ({ id }: Named) => ({
  access_grants: [{ principal_type: "user", principal_id: id, permission: "read" }],
})

export const everyone = {
  access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
}

/** Starts a gateway with one model, in which people own and share objects. */
export const startOwnershipTest = async (
  createDatabase: () => Promise<TestDatabase>,
  env: Record<string, string> = {},
) => {
  const database = await createDatabase()
  const upstream = await startFakeOpenAI()
  const gateway: TestGateway = await startGateway({
    ...database.env,
    OPENAI_API_BASE_URLS: upstream.url,
    ...env,
  })
  await waitForModels(gateway, ["gpt-fake"])
  let count = 0
  const nextName = (kind: string): string => `${kind}-${++count}`

  const post = async (path: string, body: unknown, { key }: Pick<Person, "key"> = gateway) => {
    const reply = await gateway.call("POST", path, body, { key })
    expect([path, reply.status, reply.body]).toEqual([path, 200, expect.anything()])
    return reply.body
  }
  const get = async (path: string, { key }: Pick<Person, "key"> = gateway) =>
    gateway.call("GET", path, undefined, { key })

  return {
    gateway,
    post,
    get,
    newPerson: (): Promise<Person> => gateway.createUser(nextName("Person")),
    newGroup: async (...members: Named[]): Promise<{ id: string; name: string }> => {
      const group = await post("/api/v1/groups/create", { name: nextName("group") })
      const user_ids = members.map(({ id }) => id)
      if (user_ids.length > 0) await post(`/api/v1/groups/${group.id}/members/add`, { user_ids })
      return group
    },
    newModel: (owner: Pick<Person, "key">, fields: object = {}) => {
      const id = nextName("model")
      return post(
        "/api/v1/models/create",
        { id, name: id, base_model_id: "gpt-fake", ...fields },
        owner,
      )
    },
    newCollection: (owner: Pick<Person, "key">, fields: object = {}) =>
      post("/api/v1/knowledge/create", { name: nextName("collection"), ...fields }, owner),
    newPrompt: (owner: Pick<Person, "key">, fields: object = {}) => {
      const command = nextName("command")
      return post(
        "/api/v1/prompts/create",
        { command, title: command, content: "text", ...fields },
        owner,
      )
    },
    newFile: async (
      { key }: Pick<Person, "key">,
      text = nextName("# Words"),
    ): Promise<{ id: string }> => {
      const { status, body } = await upload(gateway, `${nextName("file")}.md`, text, { key })
      expect(status).toBe(200)
      return body
    },
    newSharedChat: async (owner: Pick<Person, "key">): Promise<{ id: string }> => {
      const chat = await post("/api/v1/chats/new", { title: nextName("chat") }, owner)
      await post(`/api/v1/chats/${chat.id}/share`, { shared: true }, owner)
      return chat
    },
    addToCollection: (owner: Pick<Person, "key">, id: string, file_id: string) =>
      post(`/api/v1/knowledge/${id}/file/add`, { file_id }, owner),
    removeUser: ({ id }: Named, query = "") =>
      gateway.call("DELETE", `/api/v1/users/${id}${query}`),
    stop: async (): Promise<void> => {
      await gateway.stop()
      await upstream.close()
      await database.remove()
    },
  }
}

export type OwnershipTest = Awaited<ReturnType<typeof startOwnershipTest>>
