import { afterAll, beforeAll, describe } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"

export const scimToken = "a SCIM token of the tests, long enough".replaceAll(" ", "-")
export const base = "/api/v1/scim/v2"
export const coreUser = "urn:ietf:params:scim:schemas:core:2.0:User"
export const coreGroup = "urn:ietf:params:scim:schemas:core:2.0:Group"
export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
export const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error"
export const listUrn = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

export interface Answer {
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
  ): Promise<Answer>
  /** Creates a user; `name` is the local part of the e-mail address. */
  user(name: string, more?: Record<string, unknown>): Promise<Answer["body"]>
  group(name: string, members?: string[], more?: Record<string, unknown>): Promise<Answer["body"]>
  patch(path: string, ...operations: unknown[]): Promise<Answer>
  find(endpoint: "Users" | "Groups", filter: string, more?: string): Promise<Answer>
}

export const createClient = (gateway: TestGateway): ScimClient => {
  const call: ScimClient["call"] = (method, path, body, options = {}) =>
    gateway.call(method, base + path, body, {
      key: scimToken,
      ...options,
      headers: {
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...options.headers,
      },
    })
  const made = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
    const { status, body } = await answer
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body
  }
  return {
    gateway,
    call,
    user: (name, more) =>
      made(
        call("POST", "/Users", {
          schemas: [coreUser],
          userName: `${name}@example.org`,
          name: { givenName: name, familyName: "Tester" },
          emails: [{ value: `${name}@example.org`, type: "work", primary: true }],
          active: true,
          ...more,
        }),
      ),
    group: (name, members = [], more) =>
      made(
        call("POST", "/Groups", {
          schemas: [coreGroup],
          displayName: name,
          members: members.map((value) => ({ value })),
          ...more,
        }),
      ),
    patch: (path, ...Operations) => call("PATCH", path, { schemas: [patchUrn], Operations }),
    find: (endpoint, filter, more = "") =>
      call("GET", `/${endpoint}?filter=${encodeURIComponent(filter)}${more}`),
  }
}

/** Runs `tests` on every database, each with its own gateway. */
export const describeScim = (
  title: string,
  tests: (client: () => ScimClient) => void,
  env: Record<string, string> = {},
): void => {
  describe.each(chooseDatabases())(`${title} on $name`, ({ createDatabase }) => {
    let client: ScimClient | undefined
    let stop = async (): Promise<void> => {}

    beforeAll(async () => {
      const own = await createDatabase()
      const gateway = await startGateway({
        ...own.env,
        SCIM_ENABLED: "true",
        SCIM_TOKEN: scimToken,
        SCIM_RATE_LIMIT: "off",
        ...env,
      })
      client = createClient(gateway)
      stop = async () => {
        await gateway.stop()
        await own.remove()
      }
    })
    afterAll(() => stop())

    tests(() => {
      if (!client) throw new Error("The gateway is not up yet")
      return client
    })
  })
}
