import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import type { TestDatabase } from "../harness/databases.ts"
import { startGatewayOnDatabase } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export interface Person {
  id: string
  email: string
  key: string
}

export const limitsPath = "/api/v1/limits"
export const limitedModel = "gpt-fake"
export const perDay = { metric: "requests", amount: 100, window: "day" }

/** A gateway with a group that has two managers and a member, and with one who is in another group. */
export const startDelegatedLimits = async (createDatabase: () => Promise<TestDatabase>) => {
  const upstream: FakeOpenAI = await startFakeOpenAI()
  const gateway = await startGatewayOnDatabase(createDatabase, {
    OPENAI_API_BASE_URLS: upstream.url,
  })

  const admin = async (method: string, url: string, body?: object) => {
    const reply = await gateway.call(method, url, body)
    expect([url, reply.status, reply.body]).toMatchObject([url, 200, expect.anything()])
    return reply.body
  }
  const as = ({ key }: Person, method: string, url: string, body?: object) =>
    gateway.call(method, url, body, { key })
  const newGroup = async (): Promise<string> =>
    (await admin("POST", "/api/v1/groups/create", { name: randomUUID() })).id
  const newServiceKey = async (groupId: string): Promise<{ id: string; api_key: string }> =>
    admin("POST", `/api/v1/groups/${groupId}/keys`, { name: "Service" })
  const newKey = async (person: Person): Promise<{ id: string; api_key: string }> =>
    (await as(person, "POST", "/api/v1/auths/api_keys", { name: "Another" })).body
  const changeMembers = (groupId: string, how: "add" | "remove", ids: string[]) =>
    admin("POST", `/api/v1/groups/${groupId}/members/${how}`, { user_ids: ids })

  await waitForModels(gateway, [limitedModel])
  await admin("POST", "/api/v1/settings", { enable_openai_proxy: true })
  const manager = await gateway.createUser("Manager")
  const colleague = await gateway.createUser("Colleague")
  const member = await gateway.createUser("Member")
  const stranger = await gateway.createUser("Stranger")
  const group = await newGroup()
  const otherGroup = await newGroup()
  await changeMembers(group, "add", [manager.id, colleague.id, member.id])
  await changeMembers(otherGroup, "add", [stranger.id])
  const managers = { user_ids: [manager.id, colleague.id] }
  await admin("POST", `/api/v1/groups/${group}/managers/add`, managers)

  return {
    ...{ gateway, admin, as, newKey, changeMembers },
    ...{ manager, colleague, member, stranger, group, otherGroup },
    /** Ids of keys, by whose they are. */
    keys: {
      manager: (await newKey(manager)).id,
      member: (await newKey(member)).id,
      group: (await newServiceKey(group)).id,
      otherGroup: (await newServiceKey(otherGroup)).id,
    },

    /** Of 100 requests per day, if `values` say nothing else. */
    create: (person: Person, target: object, values: object = {}) =>
      as(person, "POST", limitsPath, { ...perDay, target, ...values }),
    createByAdmin: async (target: object, values: object = {}): Promise<string> =>
      (await admin("POST", limitsPath, { ...perDay, target, ...values })).id,
    removeAll: async (): Promise<void> => {
      const { items } = await admin("GET", `${limitsPath}?page_size=200`)
      for (const { id } of items) await admin("DELETE", `${limitsPath}/${id}`)
    },

    idsListedFor: async (person: Person, query = ""): Promise<string[]> =>
      (await as(person, "GET", `${limitsPath}?page_size=200&${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      ),

    /** @returns the status of a request to a model */
    ask: async (key: string): Promise<number> => {
      const messages = [{ role: "user", content: "one two three" }]
      const body = { model: limitedModel, messages }
      return (await gateway.call("POST", "/v1/chat/completions", body, { key })).status
    },

    stop: async (): Promise<void> => {
      await gateway.stop()
      await upstream.close()
    },
  }
}

export type DelegatedLimits = Awaited<ReturnType<typeof startDelegatedLimits>>
