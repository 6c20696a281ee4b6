import type { Bus } from "../bus/bus.ts"
import type { Offer, Registry } from "../connections/registry.ts"
import { fail } from "../errors.ts"
import {
  type Directory,
  type FunctionModel,
  mayUse as mayUseFunction,
} from "../functions/directory.ts"
import { type Principal, permits } from "../grants/grants.ts"
import type { Caller } from "../http/caller.ts"
import { longestChain } from "./chain.ts"
import { createPrecedence, reservedNames } from "./precedence.ts"
import { functionRecord, offerRecord } from "./records.ts"
import type { ModelRecord, WorkspaceModel } from "./schema.ts"
import type { ModelStore } from "./store.ts"

/** A model as a request names it, down to the connections that can answer. */
export interface Resolved {
  id: string
  /** From the one that was named to the one nearest the base; empty for a connection's model. */
  workspace: readonly WorkspaceModel[]
  offers: readonly Offer[]
  /** The function that answers, where it is none of the connections'. */
  answered?: FunctionModel
}

interface Snapshot {
  workspaceById: ReadonlyMap<string, WorkspaceModel>
  ownerById: ReadonlyMap<string, Principal>
  /** Names of administrators' models. */
  reserved: ReadonlySet<string>
}

interface Needs {
  registry: Registry
  directory: Directory
  store: ModelStore
  bus: Bus
}

const mayUse = (offer: Offer, principal: Principal): boolean => {
  const { access_grants } = offer.upstream.config
  return access_grants === null || permits(access_grants, principal, "read")
}

const visible = (offers: readonly Offer[], principal: Principal): readonly Offer[] => {
  if (principal.user.role === "admin") return offers
  return offers.every((offer) => mayUse(offer, principal))
    ? offers
    : offers.filter((offer) => mayUse(offer, principal))
}

export const mayRead = (model: WorkspaceModel, principal: Principal): boolean =>
  model.user_id === principal.user.id || permits(model.access_grants, principal, "read")

export const mayWrite = (model: WorkspaceModel, principal: Principal): boolean =>
  model.user_id === principal.user.id || permits(model.access_grants, principal, "write")

const keyAllows = ({ credential }: Caller, id: string): boolean =>
  credential.allowed_models === null || credential.allowed_models.includes(id)

/** @throws {Failure} `forbidden` for a model outside the key's own list */
const checkKey = (caller: Caller, id: string): void => {
  if (keyAllows(caller, id)) return
  const message = `This API key is not allowed to use the model "${id.slice(0, 200)}"`
  fail("forbidden", message, { param: "model" })
}

type Ground = Pick<Resolved, "offers" | "answered">

const answerable = ({ offers, answered }: Ground): boolean =>
  offers.length > 0 || answered !== undefined

/** Every model by id, in memory: workspace models before what the connections offer. */
export const createCatalogue = async ({ registry, directory, store, bus }: Needs) => {
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }

  const load = async (): Promise<Snapshot> => {
    const models = await store.list()
    const ownerById = await store.owners()
    const workspaceById = new Map(models.map((model) => [model.id, model]))
    return { workspaceById, ownerById, reserved: reservedNames(models, ownerById) }
  }

  const precedence = createPrecedence({ registry, directory })

  let snapshot = await load()
  let loading: Promise<void> = Promise.resolve()

  const reload = (): Promise<void> => {
    loading = loading
      .catch(() => {})
      .then(async () => {
        snapshot = await load()
        changed()
      })
    return loading
  }

  registry.onChange(changed)
  directory.onChange(changed)
  bus.subscribe((message) => {
    const ownerChanged = message.topic === "user" && snapshot.ownerById.has(message.id)
    if (["models", "groups", "reset"].includes(message.topic) || ownerChanged) {
      // Out of reach: the models known stay in force until the bus says `reset`.
      void reload().catch(() => {})
    }
  })

  const offersFor = (id: string, principal: Principal): readonly Offer[] => {
    const offers = registry.offers()
    return visible(offers.get(id) ?? offers.get(`${id}:latest`) ?? [], principal)
  }

  /** What an id stands for below the workspace models: a function comes before connections. */
  const ground = (id: string, principal: Principal): Ground => {
    const answered = directory.model(id)
    if (!answered) return { offers: offersFor(id, principal) }
    return mayUseFunction(answered.of, principal) ? { offers: [], answered } : { offers: [] }
  }

  /**
   * What a workspace model rests on. Its owner's access counts beside the caller's: that is what
   * sharing a model means.
   */
  const groundOf = (model: WorkspaceModel, caller: Principal): Ground => {
    const owner = snapshot.ownerById.get(model.user_id)
    const own = owner && ground(model.base_model_id, owner)
    return own && answerable(own) ? own : ground(model.base_model_id, caller)
  }

  const byAdmin = ({ user_id }: WorkspaceModel): boolean =>
    snapshot.ownerById.get(user_id)?.user.role === "admin"

  /** Whether an id is one of, or like one of, a connection's, a function's or an administrator's. */
  const isTaken = (id: string): boolean => precedence.taken(snapshot.reserved)(id)

  /** The workspace model that an id stands for; none where another's model of that name goes first. */
  const standing = (id: string): WorkspaceModel | undefined => {
    const model = snapshot.workspaceById.get(id)
    return model && (byAdmin(model) || !isTaken(id)) ? model : undefined
  }

  /** The workspace model below `model`; null when what is below is a connection's. */
  const below = (model: WorkspaceModel, caller: Principal): WorkspaceModel | null | "barred" => {
    const next = standing(model.base_model_id)
    if (!next || next === model) return null
    const owner = snapshot.ownerById.get(model.user_id)
    const granted = mayRead(next, caller) || (owner !== undefined && mayRead(next, owner))
    return granted && next.is_active ? next : "barred"
  }

  const descend = (named: WorkspaceModel, caller: Principal): Resolved => {
    const workspace: WorkspaceModel[] = []
    let last = named
    for (let next: ReturnType<typeof below> = named; next !== null; next = below(last, caller)) {
      if (next === "barred" || workspace.length === longestChain) {
        return { id: named.id, workspace, offers: [] }
      }
      workspace.push(next)
      last = next
    }
    return { id: named.id, workspace, ...groundOf(last, caller) }
  }

  const resolveNow = (caller: Caller, id: string): Resolved | null => {
    const named = standing(id)
    if (named) {
      if (!named.is_active || !mayRead(named, caller)) return null
      const resolved = descend(named, caller)
      return answerable(resolved) ? resolved : null
    }
    const found = ground(id, caller)
    return answerable(found) ? { id, workspace: [], ...found } : null
  }

  const offered = (id: string): boolean =>
    registry.offers().has(id) || directory.model(id) !== undefined

  /** A runtime's model may be named without its tag, which then is `latest`. */
  const knownId = (named: string): string => {
    const latest = `${named}:latest`
    const known = standing(named) !== undefined || offered(named)
    return !known && registry.offers().has(latest) ? latest : named
  }

  const unknown = (id: string): never => {
    const message = `The model "${id.slice(0, 200)}" does not exist, or you have no access to it`
    return fail("model_not_found", message, { param: "model" })
  }

  const askAgain = async (caller: Caller, id: string): Promise<Resolved> => {
    await registry.search(() => resolveNow(caller, knownId(id)) !== null)
    return resolveNow(caller, knownId(id)) ?? unknown(id)
  }

  const workspaceRecord = (model: WorkspaceModel, caller: Caller): ModelRecord => {
    const { offers, answered } = descend(model, caller)
    const [base] = answered ? [functionRecord(answered)] : offerRecord(model.base_model_id, offers)
    return {
      id: model.id,
      object: "model",
      created: model.created_at,
      owned_by: base?.owned_by ?? "unknown",
      name: model.name,
      description: model.meta.description,
      connection_type: base?.connection_type ?? "external",
      tags: model.meta.tags,
      capabilities: base?.capabilities ?? {},
      ...(base?.context_length !== undefined && { context_length: base.context_length }),
      base_model_id: model.base_model_id,
      connections: base?.connections ?? [],
      is_active: model.is_active,
      available: base?.available ?? false,
    }
  }

  const list = (caller: Caller): ModelRecord[] => {
    const isAdmin = caller.user.role === "admin"
    const taken = precedence.taken(snapshot.reserved)
    const inForce = [...snapshot.workspaceById.values()].filter(
      (model) => byAdmin(model) || !taken(model.id),
    )
    const workspace = inForce
      .filter((model) => mayRead(model, caller) && (model.is_active || isAdmin))
      .map((model) => workspaceRecord(model, caller))
    const standingIds = new Set(inForce.map(({ id }) => id))
    const hidden = (id: string): boolean => standingIds.has(id)
    const functions = [...directory.models()]
      .filter(({ id, of }) => !hidden(id) && mayUseFunction(of, caller))
      .map(functionRecord)
    const native = [...registry.offers()]
      .filter(([id]) => !hidden(id) && directory.model(id) === undefined)
      .flatMap(([id, offers]) => offerRecord(id, visible(offers, caller)))
    return [...workspace, ...functions, ...native].filter(({ id }) => keyAllows(caller, id))
  }

  return {
    /**
     * The model a caller names; at once when it is known, else after the connections were asked
     * again, as it may have just been pulled.
     * @throws {Failure} `model_not_found`, also for one that is not granted
     */
    resolve: (caller: Caller, named: string): Resolved | Promise<Resolved> => {
      const id = knownId(named)
      checkKey(caller, id)
      return resolveNow(caller, id) ?? askAgain(caller, id)
    },

    /** One entry of `list`. @throws {Failure} as `resolve` */
    get: (caller: Caller, named: string): ModelRecord => {
      const id = knownId(named)
      checkKey(caller, id)
      return list(caller).find((record) => record.id === id) ?? unknown(named)
    },

    /** All models that the caller may use; an administrator sees those switched off too. */
    list,

    /** Whether the caller may use a connection's model under its own id. */
    mayUseNative: (caller: Caller, id: string): boolean =>
      keyAllows(caller, id) && resolveNow(caller, id) !== null,

    /**
     * Whether the caller may not use it any more, while others may: what is gone for everybody was
     * not taken away, and what runs on it may end.
     */
    isWithdrawn: (caller: Caller, named: string): boolean => {
      const id = knownId(named)
      if (resolveNow(caller, id) !== null) return false
      return resolveNow({ ...caller, user: { ...caller.user, role: "admin" } }, id) !== null
    },
    /** Calls back when models or grants on them have changed, and the change is in force. */
    onChange: (listener: () => void): void => void listeners.add(listener),

    /** Whether only administrators may make a model of that id. */
    isTaken,
    /** Whether filters stand before it, so that nobody may go round them. */
    filtered: (id: string): boolean => directory.filtersOf([id, `${id}:latest`]).length > 0,

    /** Whose access a workspace model lends to those who use it. */
    ownerOf: (model: WorkspaceModel): Principal | undefined =>
      snapshot.ownerById.get(model.user_id),

    /** Whatever stands before it, as its owner keeps it. */
    workspace: (id: string): WorkspaceModel | undefined => snapshot.workspaceById.get(id),
    standing,
    allWorkspace: (): WorkspaceModel[] => [...snapshot.workspaceById.values()],
    reload,
  }
}

export type Catalogue = Awaited<ReturnType<typeof createCatalogue>>
