import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Files } from "../files/files.ts"
import { type StoredFile, toRecord } from "../files/store.ts"
import { type Principal, permits } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { Page } from "../http/list.ts"
import type { RowLimits } from "../limits/row-limits.ts"
import type { MemberStore } from "./member-store.ts"
import type {
  Collection,
  CollectionChanges,
  CollectionFile,
  CollectionFileQuery,
  CollectionListQuery,
  CollectionWithFiles,
  FileCounts,
  NewCollection,
} from "./schema.ts"
import type { CollectionStore } from "./store.ts"

interface Needs {
  db: Database
  bus: Bus
  audit: Audit
  store: CollectionStore
  files: Files
  members: MemberStore
  rowLimits: RowLimits
  /** What passages are found by their meaning with. */
  embeddingModel: () => string | null
  newId: () => string
  now: () => number
}

/** As many as a page of them may have. */
const mostFiles = 200
const mostFilesInList = 20

const may = (collection: Collection, who: Principal, permission: AccessGrant["permission"]) =>
  collection.user_id === who.user.id || permits(collection.access_grants, who, permission)

const toCollectionFile = (file: StoredFile): CollectionFile => {
  const { id, meta, data, filename } = toRecord(file)
  return { id, filename, meta, data, status: data.status }
}

/** Collections of files, and who may read and change them. */
export const createCollections = (needs: Needs) => {
  const { db, bus, audit, store, members, files, rowLimits, newId, now } = needs

  const unknown = (): never => fail("not_found", "There is no such collection")

  const find = async (who: Principal, id: string): Promise<Collection | undefined> => {
    const collection = await store.byId(id)
    return collection && may(collection, who, "read") ? collection : undefined
  }
  const readable = async (caller: Caller, id: string): Promise<Collection> =>
    (await find(caller, id)) ?? unknown()

  const writable = async (caller: Caller, id: string): Promise<Collection> => {
    const collection = await readable(caller, id)
    if (may(collection, caller, "write")) return collection
    return fail("forbidden", "You may read this collection, but not change it")
  }

  const withFiles = async (
    collection: Collection,
    most: number,
    file_counts: FileCounts,
  ): Promise<CollectionWithFiles> => {
    const files = (await members.first(collection.id, most)).map(toCollectionFile)
    return { ...collection, files, file_counts, embedding_model: needs.embeddingModel() }
  }
  const whole = async (collection: Collection): Promise<CollectionWithFiles> => {
    const { id } = collection
    return withFiles(collection, mostFiles, (await members.counts([id]))(id))
  }

  const target = (id: string) => ({ type: "collection", id })

  const change = async (
    { id, user_id }: Pick<Collection, "id" | "user_id">,
    event: Omit<Parameters<Audit["record"]>[1], "target">,
    work: (tx: Tx) => Promise<void>,
  ): Promise<void> => {
    await db.transact(async (tx) => {
      await work(tx)
      await audit.record(tx, { ...event, target: target(id) })
      await bus.publish(tx, { topic: "collections", user_id, id })
    })
  }

  return {
    find,
    readable,
    /** The collections among `ids` that the caller may read. */
    readableAmong: store.readableAmong,
    /** All files of a collection, with what a search must know. */
    filesOf: members.all,

    /** Who may read a file through collections, or one collection: found once for any number. */
    readersOf: async (
      topic: "files" | "collections",
      id: string,
    ): Promise<(who: Principal) => boolean> => {
      const one = topic === "files" ? await store.around(id) : [await store.byId(id)]
      return (who) => one.some((collection) => collection && may(collection, who, "read"))
    },

    list: async (caller: Caller, query: CollectionListQuery) => {
      const { items, total } = await store.list(caller, query)
      const counts = await members.counts(items.map(({ id }) => id))
      const shown = items.map((item) => withFiles(item, mostFilesInList, counts(item.id)))
      return { items: await Promise.all(shown), total }
    },

    get: async (caller: Caller, id: string): Promise<CollectionWithFiles> =>
      whole(await readable(caller, id)),

    files: async (
      caller: Caller,
      id: string,
      query: CollectionFileQuery,
    ): Promise<Page<CollectionFile>> => {
      await readable(caller, id)
      const { items, total } = await members.page(id, query)
      return { items: items.map(toCollectionFile), total }
    },

    create: async (
      actor: Actor,
      caller: Caller,
      input: NewCollection,
    ): Promise<CollectionWithFiles> => {
      const times = { created_at: now(), updated_at: now() }
      const collection = { ...input, id: newId(), user_id: caller.user.id, ...times }
      const after = { access_grants: collection.access_grants }
      await change(collection, { actor, action: "collection.created", after }, async (tx) => {
        await rowLimits.reserve(tx, "collections", { owner: caller.user.id })
        await store.insert(tx, collection)
      })
      return whole(collection)
    },

    update: async (
      actor: Actor,
      caller: Caller,
      { id, changes }: { id: string; changes: CollectionChanges },
    ): Promise<CollectionWithFiles> => {
      const before = await writable(caller, id)
      const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
      const after: Collection = { ...before, ...set, updated_at: now() }
      const event = {
        actor,
        action: "collection.updated",
        changed: Object.keys(set),
        before: { access_grants: before.access_grants },
        after: { access_grants: after.access_grants },
      }
      await change(before, event, async (tx) => {
        if (!(await store.update(tx, after))) unknown()
      })
      return whole(after)
    },

    remove: async (actor: Actor, caller: Caller, id: string): Promise<void> => {
      const collection = await writable(caller, id)
      await change(collection, { actor, action: "collection.deleted" }, async (tx) => {
        if (!(await store.remove(tx, id))) unknown()
      })
    },

    /** Links files; those linked already stay so, and none waits for its processing. */
    addFiles: async (
      actor: Actor,
      caller: Caller,
      { id, fileIds }: { id: string; fileIds: readonly string[] },
    ): Promise<CollectionWithFiles> => {
      const collection = await writable(caller, id)
      for (const fileId of new Set(fileIds)) await files.own(caller, fileId)
      const after = { files: fileIds }
      await change(collection, { actor, action: "collection.files_added", after }, async (tx) => {
        await rowLimits.reserve(tx, "collectionFiles", { owner: id, adding: fileIds.length })
        await store.link(tx, id, fileIds, now())
        await store.touch(tx, id, now())
      })
      return whole(collection)
    },

    /** Takes one file out; the file itself stays. */
    removeFile: async (
      actor: Actor,
      caller: Caller,
      { id, fileId }: { id: string; fileId: string },
    ): Promise<CollectionWithFiles> => {
      const collection = await writable(caller, id)
      const before = { files: [fileId] }
      await change(collection, { actor, action: "collection.file_removed", before }, async (tx) => {
        if (!(await store.unlink(tx, id, fileId))) fail("not_found", "There is no such file")
        await store.touch(tx, id, now())
      })
      return whole(collection)
    },

    reset: async (actor: Actor, caller: Caller, id: string): Promise<CollectionWithFiles> => {
      const collection = await writable(caller, id)
      await change(collection, { actor, action: "collection.reset" }, async (tx) => {
        await store.unlink(tx, id, null)
        await store.touch(tx, id, now())
      })
      return whole(collection)
    },
  }
}

export type Collections = ReturnType<typeof createCollections>
