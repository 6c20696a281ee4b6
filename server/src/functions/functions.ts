import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { omitUnchangedGrants } from "../grants/omit-unchanged-grants.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { StorageAddition, StorageQuota } from "../storage/storage-quota.ts"
import { auditState, auditTarget } from "./audit-details.ts"
import { failIdTaken, failNotFound, failVersionConflict } from "./failures.ts"
import type { FunctionRegistry } from "./function-registry.ts"
import { toSummary } from "./function-summary.ts"
import type {
  FunctionChanges,
  FunctionRecord,
  FunctionSummary,
  FunctionValves,
  FunctionVersion,
  FunctionVersionSource,
  NewFunction,
  ValveChanges,
} from "./schema.ts"
import { applyValueChanges, maskedValues } from "./setting-values.ts"
import type { SourceValidator } from "./source-validator.ts"
import type { FunctionStore, StoredFunction, ValidatedSource } from "./store.ts"

interface Deps {
  db: Database
  store: FunctionStore
  registry: FunctionRegistry
  validator: SourceValidator
  storage: StorageQuota
  audit: Audit
  bus: Bus
  now: () => number
}

/** Who changes something. */
interface Requester {
  actor: Actor
  caller: Caller
}

interface ChangeContext extends Requester {
  tx: Tx
}

/** Creates, changes and deletes functions and their versions. Callers must be administrators. */
export const createFunctions = (deps: Deps) => {
  const { db, store, registry, validator, storage, audit, bus, now } = deps

  const recordOf = async (stored: StoredFunction): Promise<FunctionRecord> => {
    const source = await store.version(stored.id, stored.version)
    return { ...toSummary(stored), content: source?.content ?? failNotFound(stored.id) }
  }

  const getStored = async (id: string, tx?: Tx): Promise<StoredFunction> =>
    (await store.byId(id, tx)) ?? failNotFound(id)

  /** Serializes changes. On return the change is active on this node. */
  const transact = async <T>(
    { actor, caller }: Requester,
    edit: (work: ChangeContext) => Promise<T>,
    writes: EssentialWrites = db,
  ): Promise<T> => {
    const result = await writes.transactLocked(["functions"], async (tx) => {
      const done = await edit({ tx, actor, caller })
      await bus.publish(tx, { topic: "functions" })
      return done
    })
    await registry.reload()
    return result
  }

  const addVersion = async (
    { tx, caller }: ChangeContext,
    stored: StoredFunction,
    { source, from = null }: { source: ValidatedSource; from?: number | null },
  ): Promise<void> => {
    const metadata = { user_id: caller.user.id, restored_from: from, created_at: stored.updated_at }
    await store.addVersion(tx, stored, { ...source, ...metadata })
  }

  const insert = async (
    work: ChangeContext,
    input: NewFunction,
    source: ValidatedSource,
  ): Promise<void> => {
    const { tx, actor, caller } = work
    const { content, ...fields } = input
    const { code, manifest } = source
    const times = { created_at: now(), updated_at: now() }
    const own = { user_id: caller.user.id, version: 1, code, manifest, values: {} }
    const stored: StoredFunction = { ...fields, ...own, ...times }
    if (!(await store.insert(tx, stored))) failIdTaken(input.id)
    await addVersion(work, stored, { source })
    const change = { actor, action: "function.created", target: auditTarget(input.id) }
    await audit.record(tx, { ...change, after: auditState(stored) })
  }

  /**
   * Rejects changes based on an outdated version. Content equal to the latest version was not
   * compiled; if that version is no longer the latest, this is a conflict too.
   */
  const checkVersion = async (
    { tx }: ChangeContext,
    before: StoredFunction,
    {
      changes: { version, content },
      source,
    }: { changes: FunctionChanges; source?: ValidatedSource },
  ): Promise<void> => {
    if (version !== undefined && version !== before.version) failVersionConflict(before.version)
    if (content === undefined || source) return
    const latest = await store.version(before.id, before.version, tx)
    if (latest?.content !== content) failVersionConflict(before.version)
  }

  const change = async (
    work: ChangeContext,
    id: string,
    {
      changes,
      source,
      from,
    }: { changes: FunctionChanges; source?: ValidatedSource; from?: number },
  ): Promise<void> => {
    const { tx, actor } = work
    const before = await getStored(id, tx)
    const { content, version, ...fields } = changes
    await checkVersion(work, before, { changes, ...(source && { source }) })
    const set = Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined))
    const after: StoredFunction = { ...before, ...set, updated_at: now() }
    if (source) {
      const { code, manifest } = source
      Object.assign(after, { code, manifest, version: before.version + 1 })
      after.values = applyValueChanges(manifest, before.values, {})
      await addVersion(work, after, { source, ...(from !== undefined && { from }) })
    }
    await store.update(tx, after)
    await audit.record(tx, {
      actor,
      action: from === undefined ? "function.updated" : "function.restored",
      target: auditTarget(id),
      changed: [...Object.keys(set), ...(source ? ["content"] : [])],
      ...omitUnchangedGrants(auditState(before), auditState(after)),
    })
  }

  /** The storage that one more version takes, charged to the function's owner. */
  const additionOf = (
    { caller }: Requester,
    id: string,
    { content, code }: ValidatedSource,
  ): StorageAddition => ({
    owner: registry.get(id)?.user_id ?? caller.user.id,
    addedBy: caller.user.id,
    bytes: Buffer.byteLength(content) + Buffer.byteLength(code),
  })

  const latest = async (id: string): Promise<FunctionRecord> => recordOf(await getStored(id))

  return {
    list: async (): Promise<FunctionSummary[]> => (await store.list()).map(toSummary),
    get: latest,
    known: getStored,
    find: (id: string): Promise<StoredFunction | undefined> => store.byId(id),

    /** @throws {Failure} `invalid`, with line and column, if the source cannot be loaded */
    create: async (by: Requester, input: NewFunction): Promise<FunctionRecord> => {
      if (await store.byId(input.id)) failIdTaken(input.id)
      const source = await validator.validateOrFail(input.content)
      await storage.writeWithinLimit([additionOf(by, input.id, source)], () =>
        transact(by, (work) => insert(work, input, source)),
      )
      return latest(input.id)
    },

    update: async (
      by: Requester,
      id: string,
      changes: FunctionChanges,
    ): Promise<FunctionRecord> => {
      const stored = await getStored(id)
      const current = await store.version(id, stored.version)
      const isNew = changes.content !== undefined && changes.content !== current?.content
      const source = isNew ? await validator.validateOrFail(changes.content ?? "") : undefined
      const additions = source ? [additionOf(by, id, source)] : []
      await storage.writeWithinLimit(additions, () =>
        transact(by, (work) => change(work, id, { changes, ...(source && { source }) })),
      )
      return latest(id)
    },

    /** Enables or disables a function. */
    toggle: async (by: Requester, id: string): Promise<FunctionRecord> => {
      await transact(by, async (work) => {
        const { is_active } = await getStored(id, work.tx)
        await change(work, id, { changes: { is_active: !is_active } })
      })
      return latest(id)
    },

    remove: (by: Requester, id: string): Promise<void> => {
      const remove = async ({ tx, actor }: ChangeContext): Promise<void> => {
        const { name } = await getStored(id, tx)
        await store.remove(tx, id)
        const event = { actor, action: "function.deleted", target: auditTarget(id) }
        await audit.record(tx, { ...event, before: { name } })
      }
      return transact(by, remove, db.essential)
    },

    valves: async (id: string): Promise<FunctionValves> => {
      const { manifest, values } = await getStored(id)
      return maskedValues(manifest, values)
    },

    setValves: async (
      by: Requester,
      id: string,
      { values }: ValveChanges,
    ): Promise<FunctionValves> => {
      const stored = await transact(by, async ({ tx, actor }) => {
        const before = await getStored(id, tx)
        const next = applyValueChanges(before.manifest, before.values, values)
        const after = { ...before, values: next, updated_at: now() }
        await store.update(tx, after)
        const changed = Object.keys(values)
        const event = { actor, action: "function.settings_changed", target: auditTarget(id) }
        await audit.record(tx, { ...event, changed })
        return after
      })
      return maskedValues(stored.manifest, stored.values)
    },

    versions: async (id: string): Promise<FunctionVersion[]> => {
      await getStored(id)
      return store.versions(id)
    },

    version: async (id: string, version: number): Promise<FunctionVersionSource> =>
      (await store.version(id, version)) ?? fail("not_found", "Version not found."),

    /** Saves the source of an older version as a new version; no version is removed. */
    restore: async (by: Requester, id: string, version: number): Promise<FunctionRecord> => {
      const old = await store.version(id, version)
      if (!old) return fail("not_found", "Version not found.")
      const source = await validator.validateOrFail(old.content)
      const changes = { name: old.name }
      await storage.writeWithinLimit([additionOf(by, id, source)], () =>
        transact(by, (work) => change(work, id, { changes, source, from: version })),
      )
      return latest(id)
    },

    exportAll: async (): Promise<FunctionRecord[]> => {
      const contents = await store.contents()
      return (await store.list()).flatMap((stored) => {
        const content = contents.get(stored.id)
        return content === undefined ? [] : [{ ...toSummary(stored), content }]
      })
    },

    /** Creates or updates all functions or, on an error, none. Stored settings are kept. */
    replace: async (
      by: Requester,
      inputs: readonly NewFunction[],
    ): Promise<{ created: string[]; updated: string[] }> => {
      const sources = await validator.validateAll(inputs)
      const write = async (work: ChangeContext) => {
        const existing = new Set((await store.list(work.tx)).map(({ id }) => id))
        for (const input of inputs) {
          const source = sources.get(input.id) ?? failNotFound(input.id)
          const { id, content, ...changes } = input
          if (existing.has(id)) await change(work, id, { changes, source })
          else await insert(work, input, source)
        }
        const ids = inputs.map(({ id }) => id)
        return {
          created: ids.filter((id) => !existing.has(id)),
          updated: ids.filter((id) => existing.has(id)),
        }
      }
      const additions = [...sources].map(([id, source]) => additionOf(by, id, source))
      return storage.writeWithinLimit(additions, () => transact(by, write))
    },
  }
}

export type Functions = ReturnType<typeof createFunctions>
