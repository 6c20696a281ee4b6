import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { type Catalogue, mayRead, mayWrite } from "./catalogue.ts"
import type { ModelChanges, NewModel, WorkspaceModel } from "./schema.ts"
import type { ModelStore } from "./store.ts"

interface Needs {
  db: Database
  store: ModelStore
  catalogue: Catalogue
  audit: Audit
  bus: Bus
  now: () => number
}

/** Keeps the workspace's own models: a base, a prompt, parameters and who may use them. */
export const createModels = ({ db, store, catalogue, audit, bus, now }: Needs) => {
  const unknown = (id: string): never => fail("not_found", `There is no model ${id}`)

  const readable = (caller: Caller, id: string): WorkspaceModel => {
    const model = catalogue.workspace(id)
    return model && mayRead(model, caller) ? model : unknown(id)
  }

  const writable = (caller: Caller, id: string): WorkspaceModel => {
    const model = readable(caller, id)
    return mayWrite(model, caller) ? model : fail("forbidden", `You may not change the model ${id}`)
  }

  const invalid = (path: string, message: string): never =>
    fail("invalid", `${path}: ${message}`, { errors: [{ path, message }] })

  /** Whether the chain of bases that begins at `base` comes back to `id`. */
  const leadsBack = (base: string, id: string): boolean => {
    const seen = new Set<string>()
    for (let at = base; !seen.has(at); ) {
      seen.add(at)
      const next = catalogue.workspace(at)
      if (!next || next.base_model_id === at) return false
      if (next.base_model_id === id) return true
      at = next.base_model_id
    }
    return false
  }

  /** A base must be usable by the model's maker, and must not lead back to the model itself. */
  const checkBase = async (caller: Caller, id: string, base: string): Promise<void> => {
    if (base === id) {
      if (caller.user.role === "admin") return
      invalid("base_model_id", "only administrators may put a model over its own base")
    }
    if (leadsBack(base, id)) invalid("base_model_id", `"${base}" is itself based on "${id}"`)
    try {
      await catalogue.resolve(caller, base)
    } catch {
      invalid("base_model_id", `there is no model "${base}"; choose one from the list of models`)
    }
  }

  /** An id that a connection offers would hide that model from everybody. */
  const checkId = (caller: Caller, id: string): void => {
    const hides = catalogue.list(caller).some((model) => model.id === id)
    if (hides && caller.user.role !== "admin") {
      fail(
        "conflict",
        `A model with the id ${id} exists already; only administrators may override it`,
      )
    }
  }

  const target = (id: string) => ({ type: "model", id })

  return {
    /** Those that the caller may read. */
    list: (caller: Caller): WorkspaceModel[] =>
      catalogue.allWorkspace().filter((model) => mayRead(model, caller)),

    get: readable,

    create: async (actor: Actor, caller: Caller, input: NewModel): Promise<WorkspaceModel> => {
      if (catalogue.workspace(input.id)) fail("conflict", `A model ${input.id} exists already`)
      checkId(caller, input.id)
      await checkBase(caller, input.id, input.base_model_id)
      const times = { created_at: now(), updated_at: now() }
      const model: WorkspaceModel = { ...input, user_id: caller.user.id, ...times }
      await db.transact(async (tx) => {
        if (!(await store.insert(tx, model))) fail("conflict", `A model ${model.id} exists already`)
        const { base_model_id, access_grants, is_active } = model
        const after = { base_model_id, access_grants, is_active }
        await audit.record(tx, { actor, action: "model.created", target: target(model.id), after })
        await bus.publish(tx, { topic: "models" })
      })
      await catalogue.reload()
      return model
    },

    update: async (
      actor: Actor,
      caller: Caller,
      { id, changes }: { id: string; changes: ModelChanges },
    ): Promise<WorkspaceModel> => {
      const before = writable(caller, id)
      const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
      const after: WorkspaceModel = { ...before, ...set, updated_at: now() }
      if (after.base_model_id !== before.base_model_id) {
        await checkBase(caller, id, after.base_model_id)
      }
      await db.transact(async (tx) => {
        await store.update(tx, after)
        const access = ({ access_grants, is_active }: WorkspaceModel) => ({
          access_grants,
          is_active,
        })
        await audit.record(tx, {
          actor,
          action: "model.updated",
          target: target(id),
          changed: Object.keys(set),
          before: access(before),
          after: access(after),
        })
        await bus.publish(tx, { topic: "models" })
      })
      await catalogue.reload()
      return after
    },

    remove: async (actor: Actor, caller: Caller, id: string): Promise<void> => {
      writable(caller, id)
      await db.transact(async (tx) => {
        await store.remove(tx, id)
        await audit.record(tx, { actor, action: "model.deleted", target: target(id) })
        await bus.publish(tx, { topic: "models" })
      })
      await catalogue.reload()
    },
  }
}

export type Models = ReturnType<typeof createModels>
