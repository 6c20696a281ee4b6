import type { Bus } from "../bus/bus.ts"
import type { UserAndTotal } from "../concurrency/user-limit.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Database, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { fail } from "../errors.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import { type Principal, requireReadable } from "../grants/access.ts"
import type { Grants } from "../grants/grants.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { TransferableObjects, Transfers } from "../ownership/transfer.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { accessMessages, failNotFound } from "./failures.ts"
import { createIdPrecedence } from "./id-precedence.ts"
import { readKnowledgeModels } from "./knowledge-references.ts"
import { checkGrantCount } from "./model-limits.ts"
import type { ModelSummary, WorkspaceModel } from "./schema.ts"
import { type ModelStore, modelBytes } from "./store.ts"

interface Deps {
  db: Database
  bus: Bus
  grants: Grants
  store: ModelStore
  catalogue: ModelCatalogue
  registry: ConnectionRegistry
  functionRegistry: FunctionRegistry
  maxModels: UserAndTotal
  transfers: Transfers
  now: () => number
}

/** Who hands models over to whom; undefined if the previous owner was deleted earlier. */
interface Parties {
  from: Principal | undefined
  to: Principal
}

/** Hands workspace models over to another owner, whose access and precedence they get. */
export const createModelTransfer = (deps: Deps) => {
  const { db, bus, grants, store, catalogue, maxModels, transfers, now } = deps
  const offeredIds = createIdPrecedence({ ...deps, adminNames: () => new Set() })

  /**
   * An administrator's model takes precedence over others with its id, and a member's model never
   * does, so a change between the two must not change which model answers.
   */
  const checkId = ({ id, base_model_id }: ModelSummary, { from, to }: Parties): void => {
    const [wasAdmin, isAdmin] = [from?.user.role === "admin", to.user.role === "admin"]
    if (wasAdmin === isAdmin) return
    const isTaken = isAdmin ? catalogue.isTaken(id) : offeredIds.isTaken(foldCase(id))
    if (!isTaken && base_model_id !== id) return
    fail(
      "conflict",
      isAdmin
        ? translatable("model_not_for_administrators", { id })
        : translatable("model_only_for_administrators", { id }),
    )
  }

  /** The model is used with its owner's access, which must not be less than it was. */
  const checkBase = ({ id, base_model_id: base }: ModelSummary, { from, to }: Parties): void => {
    if (base === id || catalogue.mayUse(to, base)) return
    if (from && catalogue.mayUse(from, base)) {
      fail("conflict", translatable("new_owner_cannot_use_base_model", { base, id }))
    }
  }

  const loadParties = async (tx: Tx, from: string, to: string): Promise<Parties> => {
    const owners = new Map(
      (await store.loadOwners([from, to], tx)).map((one) => [one.user.id, one]),
    )
    return { from: owners.get(from), to: owners.get(to) ?? failNotFound(to) }
  }

  const changeOwner = async (
    tx: Tx,
    models: readonly ModelSummary[],
    parties: Parties,
  ): Promise<void> => {
    for (const model of models) {
      checkId(model, parties)
      checkBase(model, parties)
    }
    const { id: owner } = parties.to.user
    const { ofUser } = await store.countModels(tx, owner)
    if (ofUser + models.length > maxModels.perUser) {
      fail(
        "limit_reached",
        translatable("new_owner_model_limit_exceeded", { max: maxModels.perUser }),
      )
    }
    const ids = models.map(({ id }) => id)
    await store.changeOwner(tx, ids, { user_id: owner, updated_at: now() })
    checkGrantCount(await store.countGrants(tx, owner))
    for (const id of ids) await bus.publish(tx, { topic: "models", id })
  }

  /**
   * A model that others may edit searches its collections with each caller's access instead of its
   * owner's, so the group only uses those models.
   */
  const grantToGroup = async (tx: Tx, ids: readonly string[], groupId: string): Promise<void> => {
    const searching = new Set((await readKnowledgeModels(tx)).map(({ id }) => id))
    const [used, editable] = [
      ids.filter((id) => searching.has(id)),
      ids.filter((id) => !searching.has(id)),
    ]
    await grants.addForGroup(tx, { type: "model", ids: used, groupId, permission: "read" })
    await grants.addForGroup(tx, { type: "model", ids: editable, groupId })
  }

  const all: TransferableObjects = {
    type: "model",
    bytes: store.countBytes,
    transferAll: async (tx, { from, to, groupId }) => {
      const ids = await store.idsOf(tx, from.id)
      if (ids.length === 0) return ids
      await changeOwner(tx, await store.summaries(ids, tx), await loadParties(tx, from.id, to.id))
      if (groupId !== null) await grantToGroup(tx, ids, groupId)
      return ids
    },
  }

  return {
    all,

    /** Deletes all models of a user; their grants are deleted with the account. */
    removeAll: async (tx: Tx, ownerId: string): Promise<void> => {
      const query = tx.deleteFrom("models").where("user_id", "=", ownerId)
      for (const { id } of await query.returning("id").execute()) {
        await grants.replace(tx, "model", id, [])
      }
    },

    transfer: async (
      actor: Actor,
      caller: Caller,
      { id, transfer_to }: { id: string; transfer_to: string },
    ): Promise<void> => {
      await transfers.transferObject<WorkspaceModel>({
        ...{ actor, caller, transferTo: transfer_to, target: { type: "model", id } },
        read: async (reader, tx) =>
          requireReadable(await store.byId(id, tx), reader, accessMessages(id)),
        bytes: async (model) => modelBytes(model),
        lock: (tx) => db.acquireLock(tx, "models"),
        write: async (tx, model, to) =>
          changeOwner(tx, [model], await loadParties(tx, model.user_id, to.id)),
      })
      await catalogue.waitForChanges()
    },
  }
}

export type ModelTransfer = ReturnType<typeof createModelTransfer>
