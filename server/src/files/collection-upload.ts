import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller } from "../http/caller.ts"

/** An upload whose metadata names a collection. */
export interface CollectionUpload {
  actor: Actor
  caller: Caller
  /** The collection's id. */
  id: string
}

/** Adds uploaded files to collections. */
export interface CollectionUploads {
  /** @throws {Failure} `not_found`, `forbidden` or `limit_reached` */
  check: (upload: CollectionUpload) => Promise<void>
  /**
   * Calls `store` and links the file to the collection, unless the collection already has a file
   * with the same content.
   * @returns the id of the file that the collection now contains
   * @throws {Failure} same as `check`
   */
  addFile: (
    tx: Tx,
    upload: CollectionUpload,
    file: { id: string; hash: string; store: () => Promise<void> },
  ) => Promise<string>
}

/** The collection id in an upload's metadata, or null. @throws {Failure} `bad_request` */
export const parseCollectionId = ({ knowledge_id: id }: Record<string, unknown>): string | null => {
  if (id === undefined || id === null) return null
  if (typeof id === "string" && id !== "") return id
  return fail("bad_request", "Set `metadata.knowledge_id` to the id of a collection, or omit it.")
}

/** @throws {Failure} same as `parseCollectionId` */
export const toCollectionUpload = (
  actor: Actor,
  caller: Caller,
  metadata: Record<string, unknown>,
): CollectionUpload | null => {
  const id = parseCollectionId(metadata)
  return id === null ? null : { actor, caller, id }
}
