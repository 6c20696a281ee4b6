import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { UserAndTotal } from "../concurrency/user-limit.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import { isAdmin, mayRead, requireReadable, requireWritable } from "../grants/access.ts"
import { omitUnchangedGrants } from "../grants/omit-unchanged-grants.ts"
import type { Actor, Caller, RefreshCaller } from "../http/caller.ts"
import { type DeletionConfirmation, requireUnused } from "../http/in-use.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import type { StorageAddition, StorageQuota } from "../storage/storage-quota.ts"
import { type Affected, describeAffected } from "../users/affected-objects.ts"
import { withOwnerName, withOwnerNames } from "../users/owner-names.ts"
import { auditState, auditTarget } from "./audit-details.ts"
import { findChainError } from "./base-model-chain.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { createBaseModelCheck } from "./check-base-model.ts"
import { accessMessages, failNotFound, failTaken } from "./failures.ts"
import {
  checkContentLength,
  checkGrantCount,
  checkModelCount,
  storageAdditionOf,
} from "./model-limits.ts"
import { paginateModels } from "./paginate-models.ts"
import type {
  ModelChanges,
  ModelListItem,
  ModelListQuery,
  ModelSummary,
  ModelWithOwner,
  NewModel,
  WorkspaceModel,
} from "./schema.ts"
import { type ModelStore, toWorkspaceModel } from "./store.ts"

interface Deps {
  maxModels: UserAndTotal
  db: Database
  store: ModelStore
  catalogue: ModelCatalogue
  storage: StorageQuota
  audit: Audit
  bus: Bus
  now: () => number
  refreshCaller: RefreshCaller
  /** What would no longer work without a model. */
  dependentsOf: (tx: Tx, id: string) => Promise<Affected[]>
  /** Whether an id equals or resembles that of the default model of new chats. */
  isDefaultModel: (id: string) => boolean
}

const inUseReason = "Other models are based on this model, or it is the default model."

/** Who changes something. */
interface Requester {
  actor: Actor
  caller: Caller
}

/** A change, inside its transaction. */
interface ModelTransaction extends Requester {
  tx: Tx
  /** Only the overall limits apply: an import restores all users' models. */
  isImport?: boolean
}

/** Manages workspace models: a base model, a prompt, parameters and access grants. */
export const createWorkspaceModels = (deps: Deps) => {
  const { maxModels, db, store, catalogue, storage, audit, bus, now, refreshCaller } = deps
  const { dependentsOf, isDefaultModel } = deps

  const requireBase = createBaseModelCheck(catalogue)

  /** Checked within the transaction: access may have changed since the request arrived. */
  const getWritable = async ({ tx, caller }: ModelTransaction, id: string): Promise<ModelSummary> =>
    requireWritable(await store.summary(id, tx), caller, accessMessages(id))

  const checkChain = async (
    { tx }: ModelTransaction,
    model: Pick<ModelSummary, "id" | "base_model_id">,
    path = "",
  ): Promise<void> => {
    const error = await findChainError(model, (id) => store.getBaseModelId(tx, id))
    if (error !== null) failInvalid(`${path}base_model_id`, error)
  }

  /**
   * A user's model must not take the id of a connection's, a function's or an administrator's
   * model, nor that of the default model, which administrators choose.
   */
  const checkId = ({ caller }: ModelTransaction, id: string): void => {
    if (!isAdmin(caller) && (catalogue.isTaken(id) || isDefaultModel(id))) {
      fail("conflict", translatable("model_id_taken", { id }))
    }
  }

  const checkCount = async (
    { tx, caller, isImport }: ModelTransaction,
    added: number,
  ): Promise<void> => {
    if (added === 0) return
    const counts = await store.countModels(tx, caller.user.id)
    checkModelCount(isImport ? { ...counts, ofUser: null } : counts, added, maxModels)
  }

  /** Call within the transaction that wrote the grants. */
  const checkGrants = async (
    { tx, isImport }: ModelTransaction,
    model: WorkspaceModel,
  ): Promise<void> => {
    if (model.access_grants.length === 0) return
    const counts = await store.countGrants(tx, model.user_id)
    checkGrantCount(isImport ? { ...counts, ofUser: null } : counts)
  }

  const insert = async (
    transaction: ModelTransaction,
    input: NewModel,
    path?: string,
  ): Promise<WorkspaceModel> => {
    const { tx, actor, caller } = transaction
    checkContentLength(input, { sent: input, path })
    const times = { created_at: now(), updated_at: now() }
    const model: WorkspaceModel = { ...input, user_id: caller.user.id, ...times }
    if (!(await store.insert(tx, model))) failTaken(model.id)
    await checkGrants(transaction, model)
    checkId(transaction, input.id)
    await checkChain(transaction, model, path)
    const change = { actor, action: "model.created", target: auditTarget(model.id) }
    await audit.record(tx, { ...change, after: auditState(model) })
    await bus.publish(tx, { topic: "models", id: model.id })
    return model
  }

  const change = async (
    transaction: ModelTransaction,
    { id, changes, path }: { id: string; changes: ModelChanges; path?: string },
  ): Promise<WorkspaceModel> => {
    const { tx, actor } = transaction
    const summary = await getWritable(transaction, id)
    const contents = (await store.contents(id, tx)) ?? failNotFound(id)
    const before = toWorkspaceModel(summary, contents)
    const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
    const after: WorkspaceModel = { ...before, ...set, updated_at: now() }
    if (changes.meta || changes.params) {
      checkContentLength(after, { sent: changes, before, path })
    }
    if (changes.base_model_id !== undefined) await checkChain(transaction, after, path)
    await store.update(tx, id, { ...changes, updated_at: after.updated_at })
    if (after.access_grants.length > before.access_grants.length)
      await checkGrants(transaction, after)
    await audit.record(tx, {
      actor,
      action: "model.updated",
      target: auditTarget(id),
      changed: Object.keys(set),
      ...omitUnchangedGrants(auditState(before), auditState(after)),
    })
    await bus.publish(tx, { topic: "models", id })
    return after
  }

  /** Runs changes one after another, so that each sees the previous one's result. */
  const transact = async <T>(
    { actor, caller }: Requester,
    edit: (transaction: ModelTransaction) => Promise<T>,
    writes: EssentialWrites = db,
  ): Promise<T> => {
    const result = await writes.transactLocked(["models"], async (tx) => {
      // Checking the base may have taken long; the caller may have lost a group or role since.
      return edit({ tx, actor, caller: await refreshCaller(tx, caller) })
    })
    await catalogue.waitForChanges()
    return result
  }

  const storageAddition = async (
    caller: Caller,
    id: string,
    changes: ModelChanges,
  ): Promise<StorageAddition> => storageAdditionOf(caller, await store.byId(id), changes)

  return {
    /** The models that the caller may read. */
    list: async (caller: Caller, query: ModelListQuery): Promise<Page<ModelListItem>> => {
      const readable = catalogue.listWorkspace().filter(({ summary }) => mayRead(summary, caller))
      const { items, total } = paginateModels(readable, caller, query)
      return { items: await withOwnerNames(db.read, items), total }
    },

    get: async (caller: Caller, id: string): Promise<ModelWithOwner> => {
      const model = requireReadable(await store.byId(id), caller, accessMessages(id))
      return withOwnerName(db.read, model)
    },

    /** All models that the caller may read, one at a time. */
    streamAll: async function* (caller: Caller): AsyncGenerator<WorkspaceModel> {
      for (const id of await store.listIds()) {
        const model = await store.byId(id)
        if (model && mayRead(model, caller)) yield model
        await yieldToEventLoop()
      }
    },

    create: async (by: Requester, input: NewModel): Promise<WorkspaceModel> => {
      const { caller } = by
      await requireBase(caller, { id: input.id, base: input.base_model_id })
      return storage.writeWithinLimit([await storageAddition(caller, input.id, input)], () =>
        transact(by, async (transaction) => {
          await checkCount(transaction, 1)
          return insert(transaction, input)
        }),
      )
    },

    update: async (by: Requester, id: string, changes: ModelChanges): Promise<WorkspaceModel> => {
      const { caller } = by
      const base = changes.base_model_id
      const known = requireReadable(catalogue.workspace(id), caller, accessMessages(id))
      if (base !== undefined && base !== known.base_model_id)
        await requireBase(caller, { id, base })
      return storage.writeWithinLimit([await storageAddition(caller, id, changes)], () =>
        transact(by, (transaction) => change(transaction, { id, changes })),
      )
    },

    /** Activates or deactivates a model. */
    toggleActive: (by: Requester, id: string): Promise<WorkspaceModel> =>
      transact(by, async (transaction) => {
        const { is_active } = await getWritable(transaction, id)
        return change(transaction, { id, changes: { is_active: !is_active } })
      }),

    /** @throws {Failure} `in_use` if something depends on it, unless that was confirmed */
    remove: (
      by: Requester,
      { id, ...confirmation }: { id: string } & DeletionConfirmation,
    ): Promise<void> => {
      const remove = async (transaction: ModelTransaction): Promise<void> => {
        const { tx, actor } = transaction
        const { name, base_model_id } = await getWritable(transaction, id)
        const target = auditTarget(id)
        // Without a model that has the id of its base, the base answers.
        const dependents = base_model_id === id ? [] : await dependentsOf(tx, id)
        requireUnused(await describeAffected(tx, dependents), confirmation, inUseReason)
        await store.remove(tx, id)
        await audit.record(tx, { actor, action: "model.deleted", target, before: { name } })
        await bus.publish(tx, { topic: "models", id })
      }
      return transact(by, remove, db.essential)
    },

    /** Creates or replaces either all of the models or none. */
    replace: async (
      by: Requester,
      inputs: readonly NewModel[],
    ): Promise<{ created: string[]; updated: string[] }> => {
      const { caller } = by
      const planned = new Set<string>()
      for (const [at, { id }] of inputs.entries()) {
        if (planned.has(id)) failInvalid(`models.${at}.id`, `"${id}" occurs more than once.`)
        planned.add(id)
      }
      for (const [at, { id, base_model_id: base }] of inputs.entries()) {
        await requireBase(caller, { id, base }, { planned, path: `models.${at}.` })
      }
      const write = async (importTransaction: ModelTransaction) => {
        const transaction = { ...importTransaction, isImport: true }
        const existing = await store.existingIds(transaction.tx, [...planned])
        const created = [...planned].filter((id) => !existing.has(id))
        const updated = [...planned].filter((id) => existing.has(id))
        await checkCount(transaction, created.length)
        for (const [at, { id, ...changes }] of inputs.entries()) {
          const path = `models.${at}.`
          if (existing.has(id)) await change(transaction, { id, changes, path })
          else await insert(transaction, { id, ...changes }, path)
        }
        return { created, updated }
      }
      const additions: StorageAddition[] = []
      for (const input of inputs) additions.push(await storageAddition(caller, input.id, input))
      return storage.writeWithinLimit(additions, () => transact(by, write))
    },
  }
}

export type WorkspaceModels = ReturnType<typeof createWorkspaceModels>
