import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller } from "../http/caller.ts"

/** An upload that names a collection in its metadata. */
export interface CollectionUpload {
  actor: Actor
  caller: Caller
  /** The collection. */
  id: string
}

/** How uploads get into collections. */
export interface CollectionUploads {
  /** @throws {Failure} `not_found`, `forbidden` or `limit_reached` */
  check: (upload: CollectionUpload) => Promise<void>
  /**
   * Stores a file by `store` and links it, unless the collection has one of the same bytes.
   * @returns the id of the file that the collection has then
   * @throws {Failure} as `check`
   */
  place: (
    tx: Tx,
    upload: CollectionUpload,
    file: { id: string; hash: string; store: () => Promise<void> },
  ) => Promise<string>
}

/** The collection that an upload's metadata names. @throws {Failure} `bad_request` */
export const collectionIn = ({ knowledge_id: id }: Record<string, unknown>): string | null => {
  if (id === undefined || id === null) return null
  if (typeof id === "string" && id !== "") return id
  return fail("bad_request", "Set `metadata.knowledge_id` to the id of a collection, or omit it.")
}

/** @throws {Failure} as `collectionIn` */
export const collectionUploadOf = (
  actor: Actor,
  caller: Caller,
  metadata: Record<string, unknown>,
): CollectionUpload | null => {
  const id = collectionIn(metadata)
  return id === null ? null : { actor, caller, id }
}
