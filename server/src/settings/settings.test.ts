import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createAudit } from "../audit/audit.ts"
import { createLocalBus } from "../bus/bus.ts"
import { readConfig } from "../config/config.ts"
import { systemActor } from "../http/caller.ts"
import { createSettings } from "./settings.ts"

const now = () => 1_800_000_000

describe.each(chooseDatabases())("settings on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  const load = (env: Record<string, string> = {}, db = database.db) =>
    createSettings({
      config: readConfig(env),
      db,
      bus: createLocalBus(createTestBackground()),
      audit: createAudit({ now }),
      now,
    })

  it("have defaults and persist changes", async () => {
    const settings = await load()
    expect(settings.current()).toMatchObject({ enable_signup: false, jwt_expires_in: 28 * 86_400 })
    const { values } = await settings.change(systemActor, {
      enable_signup: true,
      usage_retention: 60,
    })
    expect(values).toMatchObject({ enable_signup: true, usage_retention: 60 })
    expect(settings.current()).toEqual(values)
    expect((await load()).current()).toEqual(values)
  })

  it("are overridden and locked by environment variables, and restored without them", async () => {
    const fixed = await load({ ENABLE_SIGNUP: "false", JWT_EXPIRES_IN: "2h" })
    expect(fixed.current()).toMatchObject({ enable_signup: false, jwt_expires_in: 7200 })
    expect(fixed.view().locked).toEqual({
      enable_signup: "ENABLE_SIGNUP",
      jwt_expires_in: "JWT_EXPIRES_IN",
    })
    const change = fixed.change(systemActor, { usage_retention: 5, enable_signup: true })
    await expect(change).rejects.toMatchObject({ code: "conflict" })
    expect((await load()).current()).toMatchObject({ enable_signup: true, usage_retention: 60 })
  })

  it("persist concurrent changes", async () => {
    const settings = await load()
    await Promise.all([
      settings.change(systemActor, { default_user_role: "user" }),
      settings.change(systemActor, { audit_retention: 99 }),
      settings.change(systemActor, { enable_openai_proxy: true }),
    ])
    const expected = { default_user_role: "user", audit_retention: 99, enable_openai_proxy: true }
    expect(settings.current()).toMatchObject(expected)
    expect((await load()).current()).toMatchObject(expected)
  })

  it("report a stored change as done if they cannot be read again, and apply it later", async () => {
    let failures = 0
    const db = {
      ...database.db,
      get read() {
        if (failures === 0) return database.db.read
        failures--
        throw new Error("The database is unreachable")
      },
    }
    const settings = await load({}, db)
    const before = settings.current()
    failures = 2
    const { values } = await settings.change(systemActor, { usage_retention: 61 })
    expect(values).toEqual({ ...before, usage_retention: 61 })
    await expect.poll(() => settings.current()).toEqual(values)
    expect(failures).toBe(0)
  })

  it("ignore a setting stored by a newer version", async () => {
    const row = { name: "from_the_future", value: '"x"', updated_at: 1 }
    await database.db.transact(async (tx) => {
      await tx.insertInto("settings").values(row).execute()
    })
    expect((await load()).current()).not.toHaveProperty("from_the_future")
  })
})
