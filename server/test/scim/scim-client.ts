import { afterAll, beforeAll, describe } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

export const scimToken = "a SCIM token of the tests, long enough".replaceAll(" ", "-")
export const scimBase = "/api/v1/scim/v2"
export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
export const enterpriseUserSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
export const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"
export const listResponseSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
export const patchOpSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

export interface ScimResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
  body: any
}

export interface ScimClient {
  gateway: TestGateway
  /** Sends a request as the identity provider; `path` is relative to the base. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<ScimResponse>
  /** Creates a user; `name` is the local part of the e-mail address. */
  createUser(name: string, extra?: Record<string, unknown>): Promise<ScimResponse["body"]>
  createGroup(
    name: string,
    members?: string[],
    extra?: Record<string, unknown>,
  ): Promise<ScimResponse["body"]>
  patch(path: string, ...operations: unknown[]): Promise<ScimResponse>
  find(endpoint: "Users" | "Groups", filter: string, extra?: string): Promise<ScimResponse>
}

export const createScimClient = (gateway: TestGateway): ScimClient => {
  const call: ScimClient["call"] = (method, path, body, options = {}) =>
    gateway.call(method, scimBase + path, body, {
      key: scimToken,
      ...options,
      headers: {
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...options.headers,
      },
    })
  const createdBody = async (answer: Promise<ScimResponse>): Promise<ScimResponse["body"]> => {
    const { status, body } = await answer
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body
  }
  return {
    gateway,
    call,
    createUser: (name, extra) =>
      createdBody(
        call("POST", "/Users", {
          schemas: [userSchema],
          userName: `${name}@example.org`,
          name: { givenName: name, familyName: "Tester" },
          emails: [{ value: `${name}@example.org`, type: "work", primary: true }],
          active: true,
          ...extra,
        }),
      ),
    createGroup: (name, members = [], extra) =>
      createdBody(
        call("POST", "/Groups", {
          schemas: [groupSchema],
          displayName: name,
          members: members.map((value) => ({ value })),
          ...extra,
        }),
      ),
    patch: (path, ...Operations) => call("PATCH", path, { schemas: [patchOpSchema], Operations }),
    find: (endpoint, filter, extra = "") =>
      call("GET", `/${endpoint}?filter=${encodeURIComponent(filter)}${extra}`),
  }
}

/** Runs `tests` on every database, each with its own gateway. */
export const describeScim = (
  title: string,
  defineTests: (client: () => ScimClient) => void,
  env: Record<string, string> = {},
): void => {
  describe.each(chooseDatabases())(`${title} on $name`, ({ createDatabase }) => {
    let client: ScimClient | undefined
    let stop = async (): Promise<void> => {}

    beforeAll(async () => {
      const database = await createDatabase()
      const gateway = await startGateway({
        ...database.env,
        SCIM_ENABLED: "true",
        SCIM_TOKEN: scimToken,
        SCIM_RATE_LIMIT: "off",
        ...env,
      })
      client = createScimClient(gateway)
      stop = async () => {
        await gateway.stop()
        await database.remove()
      }
    })
    afterAll(() => stop())

    defineTests(() => {
      if (!client) throw new Error("The gateway is not up yet")
      return client
    })
  })
}
