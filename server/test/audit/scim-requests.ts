import { randomUUID } from "node:crypto"
import { type Fixtures, patchUrn, scim, scimToken } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** SCIM requests that succeed. */
export const scimRecipes = ({ newScimUser, newScimGroup }: Fixtures): Recipes => ({
  [`POST ${scim}/Users`]: () => ({
    path: `${scim}/Users`,
    body: { userName: `${randomUUID()}@example.org` },
    key: scimToken,
  }),
  [`PUT ${scim}/Users/:id`]: async () => ({
    path: `${scim}/Users/${(await newScimUser()).id}`,
    body: { userName: `${randomUUID()}@example.org` },
    key: scimToken,
  }),
  [`PATCH ${scim}/Users/:id`]: async () => ({
    path: `${scim}/Users/${(await newScimUser()).id}`,
    body: {
      schemas: [patchUrn],
      Operations: [{ op: "replace", path: "active", value: false }],
    },
    key: scimToken,
  }),
  [`DELETE ${scim}/Users/:id`]: async () => ({
    path: `${scim}/Users/${(await newScimUser()).id}`,
    key: scimToken,
  }),
  [`POST ${scim}/Groups`]: async () => ({
    path: `${scim}/Groups`,
    body: { displayName: randomUUID(), members: [{ value: (await newScimUser()).id }] },
    key: scimToken,
  }),
  [`PUT ${scim}/Groups/:id`]: async () => ({
    path: `${scim}/Groups/${(await newScimGroup()).id}`,
    body: { displayName: randomUUID(), members: [{ value: (await newScimUser()).id }] },
    key: scimToken,
  }),
  [`PATCH ${scim}/Groups/:id`]: async () => ({
    path: `${scim}/Groups/${(await newScimGroup()).id}`,
    body: {
      schemas: [patchUrn],
      Operations: [{ op: "add", path: "members", value: [{ value: (await newScimUser()).id }] }],
    },
    key: scimToken,
  }),
  [`DELETE ${scim}/Groups/:id`]: async () => ({
    path: `${scim}/Groups/${(await newScimGroup()).id}`,
    key: scimToken,
  }),
  ...Object.fromEntries(
    ["/Users/.search", "/Groups/.search", "/.search"].map((path) => [
      `POST ${scim}${path}`,
      () => ({ path: scim + path, body: { filter: "externalId pr" }, key: scimToken }),
    ]),
  ),
})
