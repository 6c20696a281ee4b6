import { z } from "zod"
import { adminKey, scimToken } from "./gateway.ts"
import type { Ids } from "./ids.ts"

/** A caller and the credential it sends. */
export interface Caller {
  name: string
  headers: Readonly<Record<string, string>>
  /** Has permission to see the resources of all users. */
  seesAll: boolean
}

/** A marker that must never appear in replies to anyone but its owner. */
export const secretMark = "only-vera-may-read-this"

const Account = z.object({ id: z.string() })
const Token = z.object({ token: z.string() })
const Key = z.object({ api_key: z.string() })

const ask = async (url: string, method: string, path: string, key: string, body?: unknown) => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return text.startsWith("{") || text.startsWith("[") ? (JSON.parse(text) as unknown) : text
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/**
 * Creates Vera, a user who shares nothing and sends no requests, and her resources.
 * @returns a function that reads all of them as text, which must not change
 */
export const createVictim = async (url: string, ids: Ids): Promise<() => Promise<string>> => {
  const email = "vera@example.com"
  const password = "vera has a password"
  await ask(url, "POST", "/api/v1/auths/add", adminKey, { name: "Vera", email, password })
  const signedIn = await ask(url, "POST", "/api/v1/auths/signin", "none", { email, password })
  const made = await ask(url, "POST", "/api/v1/auths/api_keys", Token.parse(signedIn).token, {
    name: "vera",
  })
  const key = Key.parse(made).api_key
  const post = (path: string, body: unknown) => ask(url, "POST", path, key, body)
  const chat = Account.parse(await post("/api/v1/chats/new", { title: secretMark }))
  const knowledge = Account.parse(
    await post("/api/v1/knowledge/create", { name: "Vera's", description: secretMark }),
  )
  const form = new FormData()
  form.append("file", new Blob([`# Diary\n\n${secretMark}\n`]), "diary.md")
  const uploaded = await fetch(`${url}/api/v1/files/?process_in_background=false`, {
    method: "POST",
    headers: bearer(key),
    body: form,
  })
  const file = Account.parse(await uploaded.json())
  await post(`/api/v1/knowledge/${knowledge.id}/file/add`, { file_id: file.id })
  await post("/api/v1/models/create", {
    id: "veras-model",
    name: "Vera's model",
    base_model_id: "gpt-fake",
    params: { system: secretMark },
    access_grants: [],
  })
  // The callers know the ids, as an insider might.
  ids.add("chats", chat.id)
  ids.add("knowledge", knowledge.id)
  ids.add("files", file.id)
  ids.add("models", "veras-model")
  const paths = [
    `/api/v1/chats/${chat.id}`,
    `/api/v1/knowledge/${knowledge.id}`,
    `/api/v1/files/${file.id}/data/content`,
    "/api/v1/models/model?id=veras-model",
  ]
  return async () => {
    const things = await Promise.all(paths.map((path) => ask(url, "GET", path, key)))
    // A position in the event stream, not part of the resource.
    return JSON.stringify(things).replace(/"seq":\d+/g, "")
  }
}

/**
 * Creates accounts and API keys of all roles.
 * @param generation part of their names; callers may lose their credentials through their own
 * requests and are then replaced by a new generation
 */
export const createPeople = async (url: string, ids: Ids, generation: number) => {
  const admin = (path: string, body: unknown) => ask(url, "POST", path, adminKey, body)

  const account = async (name: string, role: string) => {
    const email = `${name}${generation}@example.com`
    const password = `${name} has a password`
    const { id } = Account.parse(await admin("/api/v1/auths/add", { name, email, password, role }))
    ids.add("users", id)
    const signedIn = await ask(url, "POST", "/api/v1/auths/signin", "none", { email, password })
    return { id, token: Token.parse(signedIn).token }
  }
  const keyOf = async (token: string, limits: object = {}): Promise<string> =>
    Key.parse(await ask(url, "POST", "/api/v1/auths/api_keys", token, { name: "fuzz", ...limits }))
      .api_key

  const [mallory, bob, petra] = [
    await account("mallory", "user"),
    await account("bob", "user"),
    await account("petra", "user"),
  ]
  const petraKey = await keyOf(petra.token)
  await admin(`/api/v1/users/${petra.id}/update`, { role: "pending" })
  const root = await account("root", "admin")
  const caller = (name: string, headers: Caller["headers"], seesAll = false): Caller => ({
    name,
    headers,
    seesAll,
  })
  const soon = Math.floor(Date.now() / 1000) + 86_400
  const plain = [
    caller("a user", bearer(await keyOf(mallory.token))),
    caller("a user's token", bearer(mallory.token)),
    caller("a user's cookie", { cookie: `token=${mallory.token}` }),
    caller("another user", bearer(await keyOf(bob.token))),
    caller("a key of one model", bearer(await keyOf(bob.token, { allowed_models: ["gpt-fake"] }))),
    caller("a key of some routes", bearer(await keyOf(bob.token, { allowed_routes: ["/v1/*"] }))),
    caller("a key that expires", { "x-api-key": await keyOf(bob.token, { expires_at: soon }) }),
    caller("who waits for approval", bearer(petraKey)),
    caller("nobody", {}),
    caller("an unknown key", bearer("sk-unknown-0000000000000000000000000000000000")),
  ]
  const users = plain.slice(0, 4)
  const rootKey = await keyOf(root.token)
  return {
    /** Approved accounts with all permissions of a user. */
    users,
    plain,
    administrators: [
      caller("an administrator", bearer(rootKey), true),
      caller(
        "an administrator's limited key",
        bearer(await keyOf(root.token, { expires_at: soon, allowed_models: ["gpt-fake"] })),
        true,
      ),
    ],
    provisioner: caller("the identity provider", bearer(scimToken), true),
  }
}

export type People = Awaited<ReturnType<typeof createPeople>>
