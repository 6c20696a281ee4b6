import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import type { TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

export const scimToken = "the-identity-providers-own-token-of-the-tests"
export const scim = "/api/v1/scim/v2"
export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
export const password = "a password that nobody should read"
export const prompt = "words of a prompt that nobody should read in the trail"
export const functionSource = `export const settings = { secret: { type: "secret" as const } }
export async function* reply() { yield "said" }`

/** Creates the objects that the recipes act on. */
export const createFixtures = (gateway: TestGateway) => {
  const post = async (path: string, body?: unknown, key?: string) => {
    const reply = await gateway.call("POST", path, body, key === undefined ? {} : { key })
    expect([path, reply.status]).toEqual([path, expect.toSatisfy((status) => status < 300)])
    return reply.body
  }
  const newUser = () =>
    post("/api/v1/auths/add", { name: "U", email: `${randomUUID()}@example.com`, password })
  const newSession = async () => {
    const user = await newUser()
    return post("/api/v1/auths/signin", { email: user.email, password })
  }
  const newGroup = () => post("/api/v1/groups/create", { name: randomUUID() })
  const modelBody = () => ({
    id: `m-${randomUUID()}`,
    name: "M",
    base_model_id: "gpt-fake",
    params: { system: prompt },
  })
  const newModel = () => post("/api/v1/models/create", modelBody())
  const connectionBody = () => ({
    kind: "openai",
    name: randomUUID(),
    base_url: "http://127.0.0.1:9/v1",
    api_key: `sk-${password.replaceAll(" ", "-")}`,
    id_prefix: randomUUID(),
  })
  const newConnection = () => post("/api/v1/connections/create", connectionBody())
  const functionBody = () => ({
    id: `f_${randomUUID().replaceAll("-", "")}`,
    name: "F",
    content: functionSource,
  })
  const newFunction = () => post("/api/v1/functions/create", functionBody())
  const newFile = async () =>
    (await upload(gateway, `${randomUUID()}.md`, `# ${randomUUID()}`)).body as { id: string }
  const newCollection = () => post("/api/v1/knowledge/create", { name: randomUUID() })
  const filledCollection = async () => {
    const { id } = await newCollection()
    const file = await newFile()
    await post(`/api/v1/knowledge/${id}/file/add`, { file_id: file.id })
    return { id, file_id: file.id }
  }
  const newScimUser = () =>
    post(`${scim}/Users`, { userName: `${randomUUID()}@example.org`, active: true }, scimToken)
  const newScimGroup = () => post(`${scim}/Groups`, { displayName: randomUUID() }, scimToken)
  const newIdentity = async (userId: string): Promise<string> => {
    const id = randomUUID()
    const identity = {
      ...{ id, user_id: userId, provider: "okta", issuer: "https://id.example", subject: id },
      ...{ email: null, created_at: 1, last_used_at: null },
    }
    await gateway.gateway.db.transact(async (tx) => {
      await tx.insertInto("identities").values(identity).execute()
    })
    return id
  }

  return {
    post,
    newUser,
    newSession,
    newGroup,
    modelBody,
    newModel,
    connectionBody,
    newConnection,
    functionBody,
    newFunction,
    newFile,
    newCollection,
    filledCollection,
    newScimUser,
    newScimGroup,
    newIdentity,
  }
}
export type Fixtures = ReturnType<typeof createFixtures>
