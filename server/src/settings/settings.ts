import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import { loadSnapshot } from "../bus/snapshot.ts"
import type { Config } from "../config/config.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { type SettingName, Settings, type SettingsChanges, type SettingsView } from "./schema.ts"

const variableBySetting = {
  enable_signup: "ENABLE_SIGNUP",
  default_user_role: "DEFAULT_USER_ROLE",
  password_sign_in: "PASSWORD_SIGN_IN",
  jwt_expires_in: "JWT_EXPIRES_IN",
  enable_openai_proxy: "ENABLE_OPENAI_PROXY",
  claude_aliases: "CLAUDE_ALIASES",
  usage_retention: "USAGE_RETENTION",
  audit_retention: "AUDIT_RETENTION",
  embedding_model: "EMBEDDING_MODEL",
} as const satisfies Partial<Record<SettingName, keyof Config>>

/** Throws if a change must be rejected; runs in the transaction that makes the change. */
type SettingsCheck = (actor: Actor, changes: SettingsChanges, tx: Tx) => Promise<void>

interface Deps {
  config: Config
  db: Database
  bus: Bus
  audit: Audit
  now: () => number
  /** Take the place of the built-in defaults. */
  defaultSettings?: Partial<Settings>
}

/**
 * Settings stored in the database; an environment variable takes precedence and locks its setting.
 */
export interface SettingsStore {
  /** The current settings, from memory. */
  current(): Settings
  view(): SettingsView
  /** Registers a listener that runs after every reload. */
  onChange(listener: () => void): void
  /** Registers a check that may reject changes, for rules that this folder cannot know. */
  addCheck(check: SettingsCheck): void
  change(actor: Actor, changes: SettingsChanges): Promise<SettingsView>
}

export const createSettings = async (deps: Deps): Promise<SettingsStore> => {
  const { config, db, bus, audit, now, defaultSettings } = deps
  const lockedEntries = Object.entries(variableBySetting).filter(
    ([, name]) => config[name] !== undefined,
  )
  const lockedValues = Object.fromEntries(
    lockedEntries.map(([setting, name]) => [setting, config[name]]),
  )
  const locked = Object.fromEntries(lockedEntries)

  const load = async (reader: Reader = db.read): Promise<Settings> => {
    const rows = await reader.selectFrom("settings").select(["name", "value"]).execute()
    const stored = Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]))
    return Settings.parse({ ...defaultSettings, ...stored, ...lockedValues })
  }

  const checks: SettingsCheck[] = []
  const { current, reload, onChange } = await loadSnapshot(bus, "settings", () => load())

  return {
    current,
    view: () => ({ values: current(), locked }),
    onChange,
    addCheck: (check) => void checks.push(check),

    change: async (actor, changes) => {
      const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
      for (const [name] of entries) {
        const variable = locked[name]
        if (variable)
          fail(
            "conflict",
            `${name} is locked by the environment variable ${variable}. Change it there and restart.`,
          )
      }
      if (entries.length === 0) return { values: current(), locked }
      const values = await db.transactLocked(["settings"], async (tx) => {
        for (const check of checks) await check(actor, changes, tx)
        const present = await load(tx)
        for (const [name, value] of entries) {
          const row = { name, value: JSON.stringify(value), updated_at: now() }
          await tx
            .insertInto("settings")
            .values(row)
            .onConflict((conflict) => conflict.column("name").doUpdateSet(row))
            .execute()
        }
        const before = Object.fromEntries(
          Object.entries(present).filter(([name]) => name in changes),
        )
        const changed = entries.map(([name]) => name)
        await audit.record(tx, {
          actor,
          action: "settings.changed",
          changed,
          before,
          after: changes,
        })
        await bus.publish(tx, { topic: "settings" })
        return load(tx)
      })
      // The change is stored: if this fails, the bus repeats and reports it.
      await reload().catch(() => {})
      return { values, locked }
    },
  }
}
