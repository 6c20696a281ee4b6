import { describe, expect, it } from "vitest"
import {
  mayManage,
  mayRead,
  mayUse,
  mayWrite,
  type Principal,
  requireOwner,
  requireReadable,
  requireWritable,
} from "./access.ts"
import { requireOwn, requireOwnOrShared } from "./private-access.ts"
import type { AccessGrant } from "./schema.ts"

const grant = (
  principal_type: AccessGrant["principal_type"],
  principal_id: string,
  permission: AccessGrant["permission"] = "read",
): AccessGrant => ({ principal_type, principal_id, permission })

const principal = (
  id: string,
  groups: string[] = [],
  role: Principal["user"]["role"] = "user",
): Principal => ({ user: { id, role }, groups: new Set(groups) })

const object = {
  user_id: "owner",
  access_grants: [
    grant("user", "reader"),
    grant("user", "writer", "write"),
    grant("group", "readers"),
    grant("group", "writers", "write"),
  ],
}
const messages = { notFound: "None", notWritable: "Read-only" }
const codeOf = (work: () => unknown): string => {
  try {
    work()
    return "ok"
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unexpected"
  }
}

const nothing = { use: false, read: "not_found", write: "not_found", manage: "forbidden" }
const reading = { use: true, read: "ok", write: "forbidden", manage: "forbidden" }
const writing = { ...reading, write: "ok" }

describe("access", () => {
  it.each([
    ["a stranger", principal("eve"), nothing],
    ["a reader", principal("reader"), reading],
    ["a writer", principal("writer"), writing],
    ["a member of a reading group", principal("x", ["readers"]), reading],
    ["a member of a writing group", principal("x", ["none", "writers"]), writing],
    ["a user named like a group", principal("readers"), nothing],
    ["a member of a group named like a user", principal("x", ["reader"]), nothing],
    ["the owner", principal("owner"), { ...writing, use: false, manage: "ok" }],
    ["an administrator", principal("boss", [], "admin"), { ...writing, manage: "ok" }],
  ])("of %s follows from owner, grants and role", (_who, who, expected) => {
    expect({
      use: mayUse(object, who),
      read: codeOf(() => requireReadable(object, who, messages)),
      write: codeOf(() => requireWritable(object, who, messages)),
      manage: codeOf(() => requireOwner(object, who, "No")),
    }).toEqual(expected)
    expect([mayRead(object, who), mayWrite(object, who), mayManage(object, who)]).toEqual([
      expected.read === "ok",
      expected.write === "ok",
      expected.manage === "ok",
    ])
  })

  it.each(["user", "group"] as const)("is granted to everyone by * of type %s", (type) => {
    const everyone = { user_id: "owner", access_grants: [grant(type, "*")] }
    expect(mayRead(everyone, principal("anyone"))).toBe(true)
    expect(mayWrite(everyone, principal("anyone"))).toBe(false)
  })

  it("is not restricted where there is no list of grants", () => {
    expect(mayUse({ access_grants: null }, principal("anyone"))).toBe(true)
    expect(mayUse({ access_grants: [] }, principal("anyone"))).toBe(false)
  })

  it("is refused to a missing object as to one that the caller may not read", () => {
    expect(codeOf(() => requireWritable(undefined, principal("owner"), messages))).toBe("not_found")
  })
})

describe("access to private objects", () => {
  it.each([
    ["the owner", principal("owner"), "ok", "ok", "ok"],
    ["someone else", principal("eve"), "not_found", "not_found", "ok"],
    ["an administrator", principal("boss", [], "admin"), "not_found", "not_found", "ok"],
  ])("of %s does not depend on the role", (_who, who, own, unshared, shared) => {
    expect(codeOf(() => requireOwn(object, who, "None"))).toBe(own)
    expect(codeOf(() => requireOwnOrShared({ ...object, shared: false }, who, "None"))).toBe(
      unshared,
    )
    expect(codeOf(() => requireOwnOrShared({ ...object, shared: true }, who, "None"))).toBe(shared)
  })
})
