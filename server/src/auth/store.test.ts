import { randomUUIDv7 } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import type { Tx } from "../db/database.ts"
import { isWriteConflict } from "../db/write-conflicts.ts"
import { noCredentialLimits } from "../http/caller.ts"
import { createKeyStore, type KeyStore } from "./key-store.ts"
import { type AuthStore, createAuthStore } from "./store.ts"

describe.each(chooseDatabases())("credentials on $name", ({ open }) => {
  let database: OpenedDatabase
  let store: AuthStore
  let keys: KeyStore

  beforeAll(async () => {
    database = await open()
    store = createAuthStore(database.db)
    keys = createKeyStore(database.db)
  })
  afterAll(() => database.remove())

  const addUser = async (active: 0 | 1 = 1): Promise<string> => {
    const id = randomUUIDv7()
    const names = { email: id, email_key: id, name: "N", name_key: "n", role: "user" }
    const rest = { source: "local", created_ms: 1, updated_ms: 1, hidden: 0 } as const
    await database.db.transact(async (tx) => {
      await tx
        .insertInto("users")
        .values({ id, ...names, ...rest, active })
        .execute()
    })
    return id
  }
  const newKey = (user_id: string) => {
    const id = randomUUIDv7()
    const limits = { allowed_models: ["a", "ü"], allowed_routes: null, expires_at: 2_000_000_000 }
    const times = { created_at: 1, last_used_at: null }
    return {
      id,
      user_id,
      group_id: null,
      name: "key",
      hash: `hash ${id}`,
      hint: "abcd",
      ...limits,
      ...times,
    }
  }
  const newSession = (user_id: string, expires_at: number) => {
    const where = { address: "192.0.2.1", user_agent: null, last_used_at: null }
    return { id: randomUUIDv7(), user_id, created_at: 1, expires_at, ...where }
  }
  const transact = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transact(work)

  it("resolve to their active user, with groups and limits", async () => {
    const user = await addUser()
    const key = newKey(user)
    await transact((tx) => keys.insertKey(tx, key))
    expect(await store.byKeyHash(key.hash)).toMatchObject({
      user: { id: user, role: "user" },
      groups: new Set(),
      credential: {
        type: "key",
        id: key.id,
        limits: { allowed_models: ["a", "ü"], allowed_routes: null, expires_at: 2_000_000_000 },
      },
    })
    expect(await store.byKeyHash("another hash")).toBeUndefined()
    expect(await store.byKeyHash(key.hash.toUpperCase())).toBeUndefined()
    const idle = newKey(await addUser(0))
    await transact((tx) => keys.insertKey(tx, idle))
    expect(await store.byKeyHash(idle.hash)).toBeUndefined()
  })

  it("have the access of their active user", async () => {
    const [user, inactive] = [await addUser(), await addUser(0)]
    const [key, deleted, idle] = [newKey(user), newKey(user), newKey(inactive)]
    const [session, ended] = [newSession(user, 100), newSession(user, 100)]
    await transact((tx) => keys.insertKey(tx, key))
    await transact((tx) => keys.insertKey(tx, idle))
    await transact((tx) => store.insertSession(tx, session))
    const limits = noCredentialLimits
    const credentials = [key, deleted, idle].map(({ id }) => ({ type: "key", id, limits }) as const)
    const sessions = [session, ended].map(({ id }) => ({ type: "session", id, limits }) as const)
    const access = { role: "user", groups: new Set() }
    expect(await store.accessByCredential([...credentials, ...sessions])).toEqual(
      new Map([
        [key.id, access],
        [session.id, access],
      ]),
    )
    expect(await store.accessByCredential([])).toEqual(new Map())
  })

  it("are deleted with their account and cannot be added to a deleted one", async () => {
    const user = await addUser()
    const key = newKey(user)
    await transact((tx) => keys.insertKey(tx, key))
    await transact(async (tx) => {
      await tx.deleteFrom("users").where("id", "=", user).execute()
    })
    expect(await keys.keysOf({ type: "user", id: user })).toEqual([])
    const late = transact((tx) => keys.insertKey(tx, newKey(user)))
    expect(isWriteConflict(await late.catch((error) => error))).toBe(true)
    const duplicate = newKey(await addUser())
    await transact((tx) => keys.insertKey(tx, duplicate))
    const repeated = transact((tx) => keys.insertKey(tx, { ...duplicate, id: randomUUIDv7() }))
    expect(isWriteConflict(await repeated.catch((error) => error))).toBe(true)
  })

  it("end individually, all together for a user, or on expiry", async () => {
    const [user, other] = [await addUser(), await addUser()]
    const sessions = [newSession(user, 100), newSession(user, 200), newSession(user, 300)]
    const theirs = newSession(other, 300)
    for (const session of [...sessions, theirs]) {
      await transact((tx) => store.insertSession(tx, session))
    }
    const [short, middle, long] = sessions.map(({ id }) => id)
    await transact((tx) => store.dropExpiredSessions(tx, 100))
    expect(await store.bySession(short ?? "")).toBeUndefined()
    expect(await store.bySession(middle ?? "")).toMatchObject({
      credential: { limits: { expires_at: 200 } },
    })
    expect(await transact((tx) => store.endSession(tx, other, middle ?? ""))).toBe(false)
    expect(await transact((tx) => store.endSession(tx, user, middle ?? ""))).toBe(true)
    expect((await store.sessionsOf(user)).map(({ id }) => id)).toEqual([long])
    await transact((tx) => store.endSessions(tx, user))
    expect(await store.sessionsOf(user)).toEqual([])
    expect(await store.sessionsOf(other)).toHaveLength(1)
  })

  it("are marked as used concurrently, in any order", async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => addUser()))
    const maps = Array.from({ length: 10 }, (_, n) => {
      const order = n % 2 ? users : users.toReversed()
      return new Map(order.map((id) => [id, 1000 + n]))
    })
    await Promise.all(
      maps.map((seen) =>
        transact((tx) =>
          store.recordLastUse(tx, { users: seen, api_keys: new Map(), sessions: new Map() }),
        ),
      ),
    )
    const rows = await database.db.read
      .selectFrom("users")
      .select("last_active_at")
      .where("id", "in", users)
      .execute()
    expect(rows.every(({ last_active_at }) => (last_active_at ?? 0) >= 1000)).toBe(true)
  })
})
