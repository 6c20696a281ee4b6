import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { CollectionUploads } from "./collection-upload.ts"

/** What embeddings and collections, which are based on files, do when files change or are read. */
export interface FileHooks {
  /**
   * Called in the transaction that makes a file searchable, with the id of the duplicate whose
   * passages were copied, if any.
   * @returns whether its passages will be embedded
   */
  onSearchable: (tx: Tx, fileId: string, duplicateId: string | null) => Promise<boolean>
  /** The files among `ids` that the caller can read through a share. */
  filterShared: (caller: Caller, ids: readonly string[]) => Promise<string[]>
  collectionUploads: CollectionUploads
}

const failWithoutCollections = (): never => fail("not_found", "Collection not found.")

/** Without embeddings and collections. */
export const createFileHooks = (): FileHooks => ({
  onSearchable: async () => false,
  filterShared: async () => [],
  collectionUploads: { check: failWithoutCollections, addFile: failWithoutCollections },
})
