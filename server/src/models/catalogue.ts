import type { Bus } from "../bus/bus.ts"
import type { ConnectionRegistry, Endpoint } from "../connections/connection-registry.ts"
import { foldCase } from "../db/fold-case.ts"
import type { FunctionModel, FunctionRegistry } from "../functions/function-registry.ts"
import { isAdmin, mayRead, mayUse, type Principal } from "../grants/access.ts"
import type { Caller } from "../http/caller.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import { filterUsable, mayUseByKey, requireKeyAccess } from "./access.ts"
import { maxChainLength } from "./base-model-chain.ts"
import { createIdResolver, toDiscoverableId } from "./claude-alias.ts"
import { failModelNotFound } from "./failures.ts"
import { createIdPrecedence } from "./id-precedence.ts"
import { createModelContentsCache } from "./model-contents-cache.ts"
import { createModelIndex, type IndexedModel } from "./model-index.ts"
import { endpointRecord, functionRecord, shortenRecord, workspaceRecord } from "./model-records.ts"
import type { ModelRecord, ModelSummary, WorkspaceModel } from "./schema.ts"
import type { ModelStore } from "./store.ts"

/** Limits the cache of complete workspace models. */
const maxCachedBytes = 64e6

/** A model as a request names it, resolved to the endpoints that can answer. */
export interface ResolvedModel<Model = WorkspaceModel> {
  id: string
  /**
   * From the requested model down to the one closest to the base; empty for a connection's model.
   */
  workspace: readonly Model[]
  endpoints: readonly Endpoint[]
  /** The function that answers, if the model is a function. */
  functionModel?: FunctionModel
}

interface Deps {
  registry: ConnectionRegistry
  functionRegistry: FunctionRegistry
  endpointPrices: EndpointPrices
  store: ModelStore
  bus: Bus
}

type ModelBase = Pick<ResolvedModel, "endpoints" | "functionModel">

const isAnswerable = ({ endpoints, functionModel }: ModelBase): boolean =>
  endpoints.length > 0 || functionModel !== undefined

/**
 * All models by id; workspace models take precedence over those of connections. Everything that
 * lists and access checks need is in memory; the rest of a workspace model is read when a request
 * uses it.
 */
export interface ModelCatalogue {
  /**
   * Resolves the model that a caller names. Returns synchronously if it is cached. Otherwise
   * reads its contents or, if the id is unknown, refreshes the connections' lists first: the
   * model may just have been pulled.
   * @throws {Failure} `model_not_found`, also if the caller has no access
   */
  resolve(caller: Caller, requested: string): ResolvedModel | Promise<ResolvedModel>
  /** One complete entry of `list`. @throws {Failure} as `resolve` */
  get(caller: Caller, requested: string): ModelRecord
  /**
   * All models that the caller may use, with long descriptions truncated. For administrators,
   * this includes deactivated models.
   */
  list(caller: Caller): ModelRecord[]
  /** The model's id, or an alias of it that Claude Code's model discovery lists. */
  discoverableIdOf(id: string): string
  /** Whether a principal may use a model, whatever an API key allows. */
  mayUse(principal: Principal, id: string): boolean
  /**
   * Whether the caller has lost access to a model that others can still use. A model that has
   * disappeared for everyone does not count: requests in flight on it may finish.
   */
  isAccessRevoked(caller: Caller, requested: string): boolean
  /** Registers a callback for changes of models or their grants, once they have taken effect. */
  onChange(listener: () => void): void
  /**
   * Whether an id equals or resembles that of a connection's, a function's or an administrator's
   * model.
   */
  isTaken(id: string): boolean
  /** Whether filters are attached to the model; they must not be bypassed. */
  hasFilters(id: string): boolean
  /** The owner of a workspace model, whose access applies when others use the model. */
  ownerOf(model: ModelSummary): Principal | undefined
  /** The workspace model with this id, even if another model takes precedence. */
  workspace(id: string): ModelSummary | undefined
  /** The workspace model with this id, unless another model with that id takes precedence. */
  effectiveModel(id: string): ModelSummary | undefined
  listWorkspace(): readonly IndexedModel[]
  /** Waits until every change reported so far has taken effect. */
  waitForChanges(): Promise<void>
}

export const createModelCatalogue = async (deps: Deps): Promise<ModelCatalogue> => {
  const { registry, functionRegistry, endpointPrices, store, bus } = deps
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }

  const index = await createModelIndex({ store, bus })
  const contents = createModelContentsCache(store, maxCachedBytes)
  const { adminNames } = index
  const precedence = createIdPrecedence({ registry, functionRegistry, adminNames })

  for (const source of [index, registry, functionRegistry]) source.onChange(notify)

  const endpointsFor = (id: string, principal: Principal): readonly Endpoint[] => {
    const endpoints = registry.endpoints()
    return filterUsable(endpoints.get(id) ?? endpoints.get(`${id}:latest`) ?? [], principal)
  }

  /** Resolves an id that is not a workspace model. A function takes precedence over connections. */
  const resolveBase = (id: string, principal: Principal): ModelBase => {
    const functionModel = functionRegistry.model(id)
    if (!functionModel) return { endpoints: endpointsFor(id, principal) }
    return mayUse(functionModel.fn, principal)
      ? { endpoints: [], functionModel }
      : { endpoints: [] }
  }

  /**
   * Resolves the base of a workspace model. The access of the model's owner counts as well as the
   * caller's: sharing a model includes sharing its base.
   */
  const resolveBaseOf = (model: ModelSummary, caller: Principal): ModelBase => {
    const owner = index.ownerOf(model.user_id)
    const own = owner && resolveBase(model.base_model_id, owner)
    return own && isAnswerable(own) ? own : resolveBase(model.base_model_id, caller)
  }

  const hasPrecedence = ({ summary, idKey }: IndexedModel): boolean =>
    index.isAdmin(summary.user_id) || !precedence.isTaken(idKey)

  const effectiveModel = (id: string): ModelSummary | undefined => {
    const model = index.get(id)
    return model && hasPrecedence(model) ? model.summary : undefined
  }

  /** The next workspace model in the chain; null if the base is not a workspace model. */
  const nextInChain = (model: ModelSummary, caller: Principal): ModelSummary | null | "barred" => {
    const next = effectiveModel(model.base_model_id)
    if (!next || next === model) return null
    const owner = index.ownerOf(model.user_id)
    const granted = mayRead(next, caller) || (owner !== undefined && mayRead(next, owner))
    return granted && next.is_active ? next : "barred"
  }

  const resolveChain = (
    requested: ModelSummary,
    caller: Principal,
  ): ResolvedModel<ModelSummary> => {
    const workspace: ModelSummary[] = []
    let last = requested
    let next: ReturnType<typeof nextInChain> = requested
    while (next !== null) {
      if (next === "barred" || workspace.length === maxChainLength)
        return { id: requested.id, workspace, endpoints: [] }
      workspace.push(next)
      last = next
      next = nextInChain(last, caller)
    }
    return { id: requested.id, workspace, ...resolveBaseOf(last, caller) }
  }

  const resolveSummary = (caller: Principal, id: string): ResolvedModel<ModelSummary> | null => {
    const requested = effectiveModel(id)
    if (requested) {
      if (!requested.is_active || !mayRead(requested, caller)) return null
      const resolved = resolveChain(requested, caller)
      return isAnswerable(resolved) ? resolved : null
    }
    const found = resolveBase(id, caller)
    return isAnswerable(found) ? { id, workspace: [], ...found } : null
  }

  const isOfferedByConnection = (id: string): boolean => registry.endpoints().has(id)
  const isKnown = (id: string): boolean =>
    effectiveModel(id) !== undefined ||
    isOfferedByConnection(id) ||
    functionRegistry.model(id) !== undefined
  const knownId = createIdResolver({ isKnown, isOfferedByConnection })

  /** Adds the models' contents from the cache; null if one of them is missing. */
  const withCachedModels = (found: ResolvedModel<ModelSummary>): ResolvedModel | null => {
    const workspace = found.workspace.map((summary) => contents.get(summary))
    return workspace.every((model) => model !== undefined) ? { ...found, workspace } : null
  }

  /** Reads the models' contents. Starts over if a model or its access changed in the meantime. */
  const loadModels = async (
    caller: Caller,
    found: ResolvedModel<ModelSummary>,
  ): Promise<ResolvedModel> => {
    const workspace: WorkspaceModel[] = []
    for (const summary of found.workspace) {
      const model = contents.get(summary) ?? (await contents.load(summary))
      workspace.push(model ?? failModelNotFound(found.id))
    }
    const now = resolveSummary(caller, found.id) ?? failModelNotFound(found.id)
    const isSame =
      now.workspace.length === workspace.length &&
      now.workspace.every((summary, at) => summary === found.workspace[at])
    return isSame ? { ...now, workspace } : loadModels(caller, now)
  }

  const loadContents = (
    caller: Caller,
    found: ResolvedModel<ModelSummary>,
  ): ResolvedModel | Promise<ResolvedModel> => withCachedModels(found) ?? loadModels(caller, found)

  const resolveAfterRefresh = async (caller: Caller, id: string): Promise<ResolvedModel> => {
    await registry.waitForModel(() => resolveSummary(caller, knownId(id)) !== null)
    requireKeyAccess(caller, knownId(id))
    return loadContents(caller, resolveSummary(caller, knownId(id)) ?? failModelNotFound(id))
  }

  const recordOfEndpoints = (id: string, endpoints: readonly Endpoint[]): ModelRecord[] =>
    endpointRecord(id, endpoints, endpointPrices)

  const recordOf = (model: ModelSummary, caller: Caller): ModelRecord => {
    const { endpoints, functionModel } = resolveChain(model, caller)
    const [base] = functionModel
      ? [functionRecord(functionModel)]
      : recordOfEndpoints(model.base_model_id, endpoints)
    return workspaceRecord(model, base)
  }

  const isListed = (model: ModelSummary, caller: Caller): boolean =>
    mayRead(model, caller) && (model.is_active || isAdmin(caller))

  const list = (caller: Caller): ModelRecord[] => {
    const effective = index.list().filter(hasPrecedence)
    const workspace = effective
      .filter(({ summary }) => isListed(summary, caller))
      .map(({ summary }) => recordOf(summary, caller))
    const effectiveIds = new Set(effective.map(({ summary }) => summary.id))
    const isHidden = (id: string): boolean => effectiveIds.has(id)
    const functions = [...functionRegistry.models()]
      .filter(({ id, fn }) => !isHidden(id) && mayUse(fn, caller))
      .map(functionRecord)
    const native = [...registry.endpoints()]
      .filter(([id]) => !isHidden(id) && functionRegistry.model(id) === undefined)
      .flatMap(([id, endpoints]) => recordOfEndpoints(id, filterUsable(endpoints, caller)))
    return [...workspace, ...functions, ...native]
      .filter(({ id }) => mayUseByKey(caller, id))
      .map(shortenRecord)
  }

  /** The entry of `list` with this id, with its complete description and all tags. */
  const getRecord = (caller: Caller, id: string): ModelRecord | undefined => {
    const model = effectiveModel(id)
    if (model) return isListed(model, caller) ? recordOf(model, caller) : undefined
    const functionModel = functionRegistry.model(id)
    if (functionModel)
      return mayUse(functionModel.fn, caller) ? functionRecord(functionModel) : undefined
    return recordOfEndpoints(id, filterUsable(registry.endpoints().get(id) ?? [], caller))[0]
  }

  return {
    resolve: (caller, requested) => {
      const id = knownId(requested)
      requireKeyAccess(caller, id)
      const found = resolveSummary(caller, id)
      return found ? loadContents(caller, found) : resolveAfterRefresh(caller, id)
    },

    get: (caller, requested) => {
      const id = knownId(requested)
      requireKeyAccess(caller, id)
      return getRecord(caller, id) ?? failModelNotFound(requested)
    },

    list,

    discoverableIdOf: (id) => {
      const alias = toDiscoverableId(id)
      return knownId(alias) === id ? alias : id
    },

    mayUse: (principal, id) => resolveSummary(principal, id) !== null,

    isAccessRevoked: (caller, requested) => {
      const id = knownId(requested)
      if (resolveSummary(caller, id) !== null) return false
      return resolveSummary({ ...caller, user: { ...caller.user, role: "admin" } }, id) !== null
    },

    onChange: (listener) => void listeners.add(listener),
    isTaken: (id) => precedence.isTaken(foldCase(id)),
    hasFilters: (id) => functionRegistry.filtersOf([id, `${id}:latest`]).length > 0,
    ownerOf: (model) => index.ownerOf(model.user_id),
    workspace: (id) => index.get(id)?.summary,
    effectiveModel,
    listWorkspace: index.list,
    waitForChanges: index.waitForChanges,
  }
}
