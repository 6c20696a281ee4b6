import { type StoredFile, toFileRecord } from "../../files/file-store.ts"
import { mayRead, mayUse, type Principal } from "../../grants/access.ts"
import type { Actor, Caller } from "../../http/caller.ts"
import type { Page } from "../../http/pagination.ts"
import { withOwnerName, withOwnerNames } from "../../users/owner-names.ts"
import { failCollectionNotFound } from "../failures.ts"
import type {
  Collection,
  CollectionFile,
  CollectionFileQuery,
  CollectionListQuery,
  CollectionWithFiles,
  NewCollection,
} from "../schema.ts"
import { createCollectionEdits, type Deps as EditDeps } from "./collection-edits.ts"
import type { CollectionFileStore } from "./collection-file-store.ts"

interface Deps extends EditDeps {
  collectionFiles: CollectionFileStore
  /** The id of the embedding model used for semantic search; null if there is none. */
  embeddingModel: () => string | null
  /** Number of questions that got worse, by collection. */
  countLostQuestions: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>
  newId: () => string
}

/** The maximum page size. */
const maxFiles = 200

const toCollectionFile = (file: StoredFile): CollectionFile => {
  const { id, meta, data, filename } = toFileRecord(file)
  return { id, filename, meta, data, status: data.status }
}

/** Collections of files, with access checks. */
export const createCollections = (deps: Deps) => {
  const { db, bus, audit, store, collectionFiles, files, rowLimits, newId, now } = deps
  const edits = createCollectionEdits(deps)

  const find = async (principal: Principal, id: string): Promise<Collection | undefined> => {
    const collection = await store.byId(id)
    return collection && mayRead(collection, principal) ? collection : undefined
  }
  const getReadable = async (caller: Caller, id: string): Promise<Collection> =>
    (await find(caller, id)) ?? failCollectionNotFound()

  const toCollectionWithFiles = async (collection: Collection): Promise<CollectionWithFiles> => {
    const { id } = collection
    return {
      ...(await withOwnerName(db.read, collection)),
      grant_count: collection.access_grants.length,
      files: (await collectionFiles.first(id, maxFiles)).map(toCollectionFile),
      file_counts: (await collectionFiles.counts([id]))(id),
      embedding_model: deps.embeddingModel(),
      lost_questions: (await deps.countLostQuestions([id])).get(id) ?? 0,
    }
  }

  /** Returns the edited collection with its files. */
  const thenReadFiles =
    <Args extends unknown[]>(edit: (...args: Args) => Promise<Collection>) =>
    async (...args: Args): Promise<CollectionWithFiles> =>
      toCollectionWithFiles(await edit(...args))

  const readersOf = async (topic: "files" | "collections", id: string) => {
    if (topic === "files") return store.readersOfFile(id)
    const collection = await store.byId(id)
    if (!collection) return undefined
    return { owners: new Set([collection.user_id]), grants: collection.access_grants }
  }

  return {
    find,
    getReadable,
    /** The ids of collections that the caller can read. */
    readableAmong: store.readableAmong,
    filterExisting: store.filterExisting,
    uploads: edits.uploads,
    /** All files of a collection, with the fields needed for search. */
    filesOf: collectionFiles.all,

    /**
     * Returns a check for read access to a collection, or to a file through collections. The grants
     * are read once for any number of principals.
     */
    readersOf: async (
      topic: "files" | "collections",
      id: string,
    ): Promise<(principal: Principal) => boolean> => {
      const readers = await readersOf(topic, id)
      if (!readers) return () => false
      const { owners, grants } = readers
      return (principal) =>
        owners.has(principal.user.id) || mayUse({ access_grants: grants }, principal)
    },

    list: async (
      caller: Caller,
      query: CollectionListQuery,
    ): Promise<Page<CollectionWithFiles>> => {
      const { items, total } = await store.list(caller, query)
      const ids = items.map(({ id }) => id)
      const counts = await collectionFiles.counts(ids)
      const lost = await deps.countLostQuestions(ids)
      const listed = await files.byIds([...new Set(items.flatMap(({ file_ids }) => file_ids))])
      const fileById = new Map(listed.map((file) => [file.id, toCollectionFile(file)]))
      const embedding_model = deps.embeddingModel()
      const listItems = (await withOwnerNames(db.read, items)).map(({ file_ids, ...item }) => ({
        ...item,
        files: file_ids.flatMap((id) => fileById.get(id) ?? []),
        file_counts: counts(item.id),
        embedding_model,
        lost_questions: lost.get(item.id) ?? 0,
      }))
      return { items: listItems, total }
    },

    get: async (caller: Caller, id: string): Promise<CollectionWithFiles> =>
      toCollectionWithFiles(await getReadable(caller, id)),

    files: async (
      caller: Caller,
      id: string,
      query: CollectionFileQuery,
    ): Promise<Page<CollectionFile>> => {
      await getReadable(caller, id)
      const { items, total } = await collectionFiles.page(id, query)
      return { items: items.map(toCollectionFile), total }
    },

    create: async (
      actor: Actor,
      caller: Caller,
      input: NewCollection,
    ): Promise<CollectionWithFiles> => {
      const times = { created_at: now(), updated_at: now() }
      const collection = { ...input, id: newId(), user_id: caller.user.id, ...times }
      const { id, user_id, access_grants } = collection
      const target = { type: "collection", id }
      await rowLimits.transactWithin("collections", { owner: user_id }, async (tx) => {
        await store.insert(tx, collection)
        const change = { actor, action: "collection.created", target }
        await audit.record(tx, { ...change, after: { access_grants } })
        await bus.publish(tx, { topic: "collections", user_id, id })
      })
      return toCollectionWithFiles(collection)
    },

    update: thenReadFiles(edits.update),
    remove: edits.remove,
    addFiles: thenReadFiles(edits.addFiles),
    removeFile: thenReadFiles(edits.removeFile),
    reset: thenReadFiles(edits.reset),
  }
}

export type Collections = ReturnType<typeof createCollections>
