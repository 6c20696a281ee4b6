import type { Bus, BusMessage } from "../bus/bus.ts"
import { createMutex } from "../concurrency/mutex.ts"
import { readInChunks } from "../db/chunked-queries.ts"
import { foldCase } from "../db/fold-case.ts"
import type { Principal } from "../grants/access.ts"
import { stripLatestTag } from "./id-precedence.ts"
import type { ModelSummary } from "./schema.ts"
import type { ModelStore } from "./store.ts"

/** Models or owners to read in one query; requests are served in between. */
const chunkSize = 50

export interface IndexedModel {
  summary: ModelSummary
  /** The id and the name, case-folded. */
  idKey: string
  nameKey: string
}

/** Null among the ids stands for all of them. */
interface PendingChanges {
  modelIds: Set<string | null>
  ownerIds: Set<string | null>
}

interface Deps {
  store: Pick<ModelStore, "listIds" | "summaries" | "loadOwners">
  bus: Bus
}

const noPendingChanges = (): PendingChanges => ({ modelIds: new Set(), ownerIds: new Set() })

const toIndexed = (summary: ModelSummary): IndexedModel => ({
  summary,
  idKey: foldCase(summary.id),
  nameKey: foldCase(summary.name),
})

/** Notes in `pending` what must be read again. @returns whether `message` concerns the index */
const noteChange = ({ modelIds, ownerIds }: PendingChanges, message: BusMessage): boolean => {
  if (message.topic === "models") modelIds.add(message.id)
  else if (message.topic === "user") ownerIds.add(message.id)
  else if (message.topic === "groups") ownerIds.add(null)
  else if (message.topic === "reset") modelIds.add(null)
  else return false
  return true
}

const isId = (id: string | null): id is string => id !== null

/** All workspace models without their contents, and their owners, in memory. */
export const createModelIndex = async ({ store, bus }: Deps) => {
  let modelById = new Map<string, IndexedModel>()
  let ownerById = new Map<string, Principal>()
  let ordered: readonly IndexedModel[] | null = null
  let adminNames: ReadonlySet<string> | null = null
  const listeners = new Set<() => void>()

  const readModels = (ids: readonly string[]): Promise<IndexedModel[]> =>
    readInChunks(ids, async (chunk) => (await store.summaries(chunk)).map(toIndexed), chunkSize)
  const readOwners = (ids: Iterable<string>): Promise<Principal[]> =>
    readInChunks([...new Set(ids)], store.loadOwners, chunkSize)

  const loadEverything = async (): Promise<void> => {
    const models = await readModels(await store.listIds())
    const owners = await readOwners(models.map(({ summary }) => summary.user_id))
    modelById = new Map(models.map((model) => [model.summary.id, model]))
    ownerById = new Map(owners.map((owner) => [owner.user.id, owner]))
  }

  const loadChanges = async (modelIds: string[], ownerIds: string[]): Promise<void> => {
    const models = await readModels(modelIds)
    const newOwnerIds = models
      .map(({ summary }) => summary.user_id)
      .filter((id) => !ownerById.has(id))
    const refreshedIds = [...ownerIds, ...newOwnerIds]
    const owners = await readOwners(refreshedIds)
    for (const id of modelIds) modelById.delete(id)
    for (const model of models) modelById.set(model.summary.id, model)
    for (const id of refreshedIds) ownerById.delete(id)
    for (const owner of owners) ownerById.set(owner.user.id, owner)
  }

  let pending = noPendingChanges()
  let isScheduled = false
  const runExclusive = createMutex()
  let loading: Promise<void> = Promise.resolve()

  const load = async (): Promise<void> => {
    const { modelIds, ownerIds } = pending
    pending = noPendingChanges()
    // Filtered here, not on arrival: a load in progress may have added an owner.
    const knownIds = ownerIds.has(null)
      ? [...ownerById.keys()]
      : [...ownerIds].filter(isId).filter((id) => ownerById.has(id))
    if (modelIds.size + knownIds.length === 0 && !ownerIds.has(null)) return
    const ids = [...modelIds].filter(isId)
    try {
      await (modelIds.has(null) ? loadEverything() : loadChanges(ids, knownIds))
    } catch (error) {
      // The current state remains in use until the bus tries again.
      pending.modelIds.add(null)
      throw error
    }
    ordered = null
    adminNames = null
    for (const listener of listeners) listener()
  }

  const scheduleLoad = (): void => {
    if (isScheduled) return
    isScheduled = true
    loading = runExclusive(() => {
      isScheduled = false
      return load()
    })
    // Whoever waits for it gets the error: the bus, which tries again, or a request.
    loading.catch(() => {})
  }

  const isAdmin = (userId: string): boolean => ownerById.get(userId)?.user.role === "admin"

  bus.subscribe("reload models", (message) => {
    if (!noteChange(pending, message)) return undefined
    scheduleLoad()
    return loading
  })
  pending.modelIds.add(null)
  scheduleLoad()
  await loading

  return {
    get: (id: string): IndexedModel | undefined => modelById.get(id),
    ownerOf: (userId: string): Principal | undefined => ownerById.get(userId),
    isAdmin,

    /** All models, sorted by id. */
    list: (): readonly IndexedModel[] => {
      ordered ??= [...modelById.values()].sort((a, b) => (a.summary.id < b.summary.id ? -1 : 1))
      return ordered
    },

    /** The ids of administrators' models, normalized by `stripLatestTag`. */
    adminNames: (): ReadonlySet<string> => {
      adminNames ??= new Set(
        [...modelById.values()]
          .filter(({ summary }) => isAdmin(summary.user_id))
          .map(({ idKey }) => stripLatestTag(idKey)),
      )
      return adminNames
    },

    /** Waits until every change reported so far has taken effect. */
    waitForChanges: (): Promise<void> => loading,

    onChange: (listener: () => void): void => void listeners.add(listener),
  }
}
