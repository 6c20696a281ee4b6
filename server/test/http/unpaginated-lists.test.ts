import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

const addedByAdministrators = "what administrators add"

/** Lists returned without pagination, and the bound of each; see also `test/db/table-limits.ts`. */
const unpaginatedLists: Record<string, string> = {
  "/api/v1/auths/api_keys": "100 keys for each user",
  "/api/v1/auths/sessions": "1,000 sessions for each user",
  "/api/v1/ratings/summary": "200 models",
  "/api/v1/chats/{id}/messages/{message_id}/passages": "at most 1,000 passages for each message",
  "/api/v1/connections": addedByAdministrators,
  "/api/v1/connections/providers": "the kinds of providers in the code",
  "/api/v1/files/{id}/collections": "the first 1,000",
  "/api/v1/files/{id}/outline": "MAX_TEXT_LENGTH",
  "/api/v1/functions": addedByAdministrators,
  "/api/v1/functions/id/{id}/runs": "50 runs for each function",
  "/api/v1/functions/id/{id}/versions": addedByAdministrators,
  "/api/v1/groups/{id}/keys": "100 keys for each group",
  "/api/v1/groups/mine": addedByAdministrators,
  "/api/v1/limits/notices": "the five most used",
  "/api/v1/sso/identities": "accounts at the identity providers that administrators connect",
  "/api/v1/sso/providers": addedByAdministrators,
  "/api/v1/sso/users/{id}/identities": addedByAdministrators,
  "/api/v1/usage":
    "a row for each model, user, group, key or connection, or for each of 1,000 intervals and 51 of these",
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ ENV: "dev" })
})
afterAll(() => gateway.stop())

interface Path {
  get?: {
    parameters?: { name: string }[]
    responses?: Record<number, { content?: Record<string, { schema?: Schema }> }>
  }
}

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
}

it("every list is paginated or has a bound documented here", async () => {
  const { paths, components } = (await gateway.call("GET", "/openapi.json")).body
  const resolve = (schema: Schema = {}): Schema =>
    schema.$ref ? resolve(components.schemas[schema.$ref.split("/").at(-1) ?? ""]) : schema
  const isList = (schema: Schema): boolean =>
    [schema, schema.properties?.items, schema.properties?.data].some(
      (one) => one && resolve(one).type === "array",
    )
  const unpaginated = Object.entries<Path>(paths).flatMap(([path, { get }]) => {
    const schema = resolve(get?.responses?.[200]?.content?.["application/json"]?.schema)
    const parameters = get?.parameters ?? []
    const hasPages = parameters.some(({ name }) =>
      ["page", "before", "after", "cursor"].includes(name),
    )
    return isList(schema) && !hasPages ? [path] : []
  })
  expect(unpaginated.toSorted()).toEqual(Object.keys(unpaginatedLists).toSorted())
})
