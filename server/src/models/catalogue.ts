import type { Bus } from "../bus/bus.ts"
import type { Offer, Registry } from "../connections/registry.ts"
import { foldCase } from "../db/fold-case.ts"
import { fail } from "../errors.ts"
import {
  type Directory,
  type FunctionModel,
  mayUse as mayUseFunction,
} from "../functions/function-registry.ts"
import type { Principal } from "../grants/grants.ts"
import type { Caller } from "../http/caller.ts"
import { checkKey, keyAllows, mayRead, visible } from "./access.ts"
import { maxChain } from "./base-models.ts"
import { createContentsCache } from "./contents-cache.ts"
import { createModelIndex, type IndexedModel } from "./model-index.ts"
import { functionRecord, offerRecord, shortenRecord } from "./model-records.ts"
import { createPrecedence } from "./precedence.ts"
import type { ModelRecord, ModelSummary, WorkspaceModel } from "./schema.ts"
import type { ModelStore } from "./store.ts"

/** Limits the cache of complete workspace models. */
const maxCachedBytes = 64e6

/** A model as a request names it, resolved to the endpoints that can answer. */
export interface Resolved<Model = WorkspaceModel> {
  id: string
  /**
   * From the requested model down to the one closest to the base; empty for a connection's model.
   */
  workspace: readonly Model[]
  offers: readonly Offer[]
  /** The function that answers, if the model is a function. */
  answered?: FunctionModel
}

interface Deps {
  registry: Registry
  directory: Directory
  store: ModelStore
  bus: Bus
}

type Ground = Pick<Resolved, "offers" | "answered">

const answerable = ({ offers, answered }: Ground): boolean =>
  offers.length > 0 || answered !== undefined

/**
 * All models by id; workspace models take precedence over those of connections. Everything that
 * lists and access checks need is in memory; the rest of a workspace model is read when a request
 * uses it.
 */
export const createCatalogue = async ({ registry, directory, store, bus }: Deps) => {
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }

  const index = await createModelIndex({ store, bus })
  const contents = createContentsCache(store, maxCachedBytes)
  const { adminNames } = index
  const precedence = createPrecedence({ registry, directory, adminNames })

  index.onChange(changed)
  registry.onChange(changed)
  directory.onChange(changed)

  const offersFor = (id: string, principal: Principal): readonly Offer[] => {
    const offers = registry.offers()
    return visible(offers.get(id) ?? offers.get(`${id}:latest`) ?? [], principal)
  }

  /** Resolves an id that is not a workspace model. A function takes precedence over connections. */
  const ground = (id: string, principal: Principal): Ground => {
    const answered = directory.model(id)
    if (!answered) return { offers: offersFor(id, principal) }
    return mayUseFunction(answered.of, principal) ? { offers: [], answered } : { offers: [] }
  }

  /**
   * Resolves the base of a workspace model. The access of the model's owner counts as well as the
   * caller's: sharing a model includes sharing its base.
   */
  const groundOf = (model: ModelSummary, caller: Principal): Ground => {
    const owner = index.ownerOf(model.user_id)
    const own = owner && ground(model.base_model_id, owner)
    return own && answerable(own) ? own : ground(model.base_model_id, caller)
  }

  const isStanding = ({ summary, idKey }: IndexedModel): boolean =>
    index.isAdmin(summary.user_id) || !precedence.isTaken(idKey)

  /** The workspace model with an id, unless another model with that id takes precedence. */
  const standing = (id: string): ModelSummary | undefined => {
    const model = index.get(id)
    return model && isStanding(model) ? model.summary : undefined
  }

  /** The next workspace model in the chain; null if the base is not a workspace model. */
  const below = (model: ModelSummary, caller: Principal): ModelSummary | null | "barred" => {
    const next = standing(model.base_model_id)
    if (!next || next === model) return null
    const owner = index.ownerOf(model.user_id)
    const granted = mayRead(next, caller) || (owner !== undefined && mayRead(next, owner))
    return granted && next.is_active ? next : "barred"
  }

  const descend = (named: ModelSummary, caller: Principal): Resolved<ModelSummary> => {
    const workspace: ModelSummary[] = []
    let last = named
    for (let next: ReturnType<typeof below> = named; next !== null; next = below(last, caller)) {
      if (next === "barred" || workspace.length === maxChain) {
        return { id: named.id, workspace, offers: [] }
      }
      workspace.push(next)
      last = next
    }
    return { id: named.id, workspace, ...groundOf(last, caller) }
  }

  const resolveNow = (caller: Caller, id: string): Resolved<ModelSummary> | null => {
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

  /** A runtime's model may be named without its tag, which then defaults to `latest`. */
  const knownId = (named: string): string => {
    const latest = `${named}:latest`
    const known = standing(named) !== undefined || offered(named)
    return !known && registry.offers().has(latest) ? latest : named
  }

  const unknown = (id: string): never => {
    const message = `The model "${id.slice(0, 200)}" does not exist or you do not have access to it.`
    return fail("model_not_found", message, { param: "model" })
  }

  /** Adds the models' contents from the cache; null if one of them is missing. */
  const withCachedModels = (found: Resolved<ModelSummary>): Resolved | null => {
    const workspace: WorkspaceModel[] = []
    for (const summary of found.workspace) {
      const model = contents.get(summary)
      if (!model) return null
      workspace.push(model)
    }
    return { ...found, workspace }
  }

  /** Reads the models' contents. Starts over if a model or its access changed in the meantime. */
  const loadModels = async (caller: Caller, found: Resolved<ModelSummary>): Promise<Resolved> => {
    const workspace: WorkspaceModel[] = []
    for (const summary of found.workspace) {
      const model = contents.get(summary) ?? (await contents.load(summary))
      workspace.push(model ?? unknown(found.id))
    }
    const now = resolveNow(caller, found.id) ?? unknown(found.id)
    const isSame =
      now.workspace.length === workspace.length &&
      now.workspace.every((summary, at) => summary === found.workspace[at])
    return isSame ? { ...now, workspace } : loadModels(caller, now)
  }

  const complete = (caller: Caller, found: Resolved<ModelSummary>): Resolved | Promise<Resolved> =>
    withCachedModels(found) ?? loadModels(caller, found)

  const askAgain = async (caller: Caller, id: string): Promise<Resolved> => {
    await registry.search(() => resolveNow(caller, knownId(id)) !== null)
    return complete(caller, resolveNow(caller, knownId(id)) ?? unknown(id))
  }

  const workspaceRecord = (model: ModelSummary, caller: Caller): ModelRecord => {
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

  const isListed = (model: ModelSummary, caller: Caller): boolean =>
    mayRead(model, caller) && (model.is_active || caller.user.role === "admin")

  const list = (caller: Caller): ModelRecord[] => {
    const inForce = index.list().filter(isStanding)
    const workspace = inForce
      .filter(({ summary }) => isListed(summary, caller))
      .map(({ summary }) => workspaceRecord(summary, caller))
    const standingIds = new Set(inForce.map(({ summary }) => summary.id))
    const hidden = (id: string): boolean => standingIds.has(id)
    const functions = [...directory.models()]
      .filter(({ id, of }) => !hidden(id) && mayUseFunction(of, caller))
      .map(functionRecord)
    const native = [...registry.offers()]
      .filter(([id]) => !hidden(id) && directory.model(id) === undefined)
      .flatMap(([id, offers]) => offerRecord(id, visible(offers, caller)))
    return [...workspace, ...functions, ...native]
      .filter(({ id }) => keyAllows(caller, id))
      .map(shortenRecord)
  }

  /** The entry of `list` with this id, with its complete description and all tags. */
  const recordOf = (caller: Caller, id: string): ModelRecord | undefined => {
    const model = standing(id)
    if (model) return isListed(model, caller) ? workspaceRecord(model, caller) : undefined
    const answered = directory.model(id)
    if (answered) return mayUseFunction(answered.of, caller) ? functionRecord(answered) : undefined
    return offerRecord(id, visible(registry.offers().get(id) ?? [], caller))[0]
  }

  return {
    /**
     * Resolves the model that a caller names. Returns synchronously if it is cached. Otherwise
     * reads its contents or, if the id is unknown, refreshes the connections' lists first: the
     * model may just have been pulled.
     * @throws {Failure} `model_not_found`, also if the caller has no access
     */
    resolve: (caller: Caller, named: string): Resolved | Promise<Resolved> => {
      const id = knownId(named)
      checkKey(caller, id)
      const found = resolveNow(caller, id)
      return found ? complete(caller, found) : askAgain(caller, id)
    },

    /** One complete entry of `list`. @throws {Failure} as `resolve` */
    get: (caller: Caller, named: string): ModelRecord => {
      const id = knownId(named)
      checkKey(caller, id)
      return recordOf(caller, id) ?? unknown(named)
    },

    /**
     * All models that the caller may use, with long descriptions truncated. For administrators,
     * this includes deactivated models.
     */
    list,

    /** Whether the caller may use a connection's model through the native API. */
    mayUseNative: (caller: Caller, id: string): boolean =>
      keyAllows(caller, id) && resolveNow(caller, id) !== null,

    /**
     * Whether the caller has lost access to a model that others can still use. A model that has
     * disappeared for everyone does not count: requests in flight on it may finish.
     */
    isWithdrawn: (caller: Caller, named: string): boolean => {
      const id = knownId(named)
      if (resolveNow(caller, id) !== null) return false
      return resolveNow({ ...caller, user: { ...caller.user, role: "admin" } }, id) !== null
    },
    /**
     * Registers a callback for changes of models or their grants, called once they have taken
     * effect.
     */
    onChange: (listener: () => void): void => void listeners.add(listener),

    /**
     * Whether an id equals or resembles that of a connection's, a function's or an administrator's
     * model.
     */
    isTaken: (id: string): boolean => precedence.isTaken(foldCase(id)),
    /** Whether filters are attached to the model; they must not be bypassed. */
    filtered: (id: string): boolean => directory.filtersOf([id, `${id}:latest`]).length > 0,

    /** The owner of a workspace model, whose access applies when others use the model. */
    ownerOf: (model: WorkspaceModel): Principal | undefined => index.ownerOf(model.user_id),

    /** The workspace model with this id, even if another model takes precedence. */
    workspace: (id: string): ModelSummary | undefined => index.get(id)?.summary,
    standing,
    allWorkspace: index.list,
    /** Waits until every change reported so far has taken effect. */
    settled: index.settled,
  }
}

export type Catalogue = Awaited<ReturnType<typeof createCatalogue>>
