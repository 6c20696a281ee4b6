import { groupId, type Sizes, userId } from "./data.ts"
import type { RequestOptions } from "./gateway.ts"

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

export interface Row {
  name: string
  times: number
  /** Concurrent requests. */
  at: number
  request: (index: number) => RequestOptions
  /** Limit for the 99th percentile in ms. */
  maxMs?: number
  /** Minimum requests per second. */
  minRate?: number
}

const filter = (text: string): string => `/Users?filter=${encodeURIComponent(text)}`

/** Requests for a database of this size; each index is used once. */
export const rowsFor = ({ users, largeGroup }: Sizes): Row[] => {
  const someone = (index: number): number => (index * 7919) % users

  /** Adds 100 new members for even indexes, removes them for odd ones. */
  const hundred = (index: number, query: string): RequestOptions => {
    const from = largeGroup + ((Math.floor(index / 2) * 100) % (users - largeGroup - 100))
    const value = Array.from({ length: 100 }, (_, offset) => ({ value: userId(from + offset) }))
    const op = index % 2 === 0 ? "add" : "remove"
    const body = { schemas: [patchUrn], Operations: [{ op, path: "members", value }] }
    return { method: "PATCH", path: `/Groups/${groupId(0)}${query}`, body }
  }

  const created = (index: number, run: string): RequestOptions => ({
    method: "POST",
    path: "/Users",
    body: {
      userName: `made-${run}-${index}@bench.example`,
      name: { givenName: "Made", familyName: `By ${index}` },
      emails: [{ value: `made-${index}@bench.example`, type: "work", primary: true }],
      externalId: `made-${run}-${index}`,
      active: true,
    },
  })

  return [
    {
      name: "userName eq",
      times: 10_000,
      at: 1,
      request: (i) => ({ path: filter(`userName eq "USER${someone(i)}@bench.example"`) }),
      maxMs: 5,
    },
    {
      name: "externalId eq",
      times: 10_000,
      at: 1,
      request: (i) => ({ path: filter(`externalId eq "external-${someone(i)}"`) }),
      maxMs: 5,
    },
    {
      name: 'emails[type eq "work"].value eq',
      times: 1000,
      at: 1,
      request: (i) => ({
        path: filter(`emails[type eq "work"].value eq "user${someone(i)}@bench.example"`),
      }),
    },
    {
      name: "userName co",
      times: 30,
      at: 1,
      request: (i) => ({ path: filter(`userName co "er${someone(i)}@"`) }),
    },
    {
      name: "list, 100 from the end",
      times: 50,
      at: 1,
      request: () => ({ path: `/Users?startIndex=${users - 100}&count=100` }),
    },
    { name: "list, first 100", times: 100, at: 1, request: () => ({ path: "/Users?count=100" }) },
    { name: "create, one at a time", times: 1000, at: 1, request: (i) => created(i, "one") },
    {
      name: "create, eight at a time",
      times: 2000,
      at: 8,
      request: (i) => created(i, "eight"),
      minRate: 500,
    },
    {
      name: "PATCH ±100 members of the large group",
      times: 200,
      at: 1,
      request: (i) => hundred(i, ""),
      maxMs: 100,
    },
    {
      name: "the same, excludedAttributes=members",
      times: 500,
      at: 1,
      request: (i) => hundred(i, "?excludedAttributes=members"),
      maxMs: 25,
    },
  ]
}
