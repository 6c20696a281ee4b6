import { fail } from "../../errors.ts"
import type { Files } from "../../files/files.ts"
import type { Caller } from "../../http/caller.ts"
import { translatable } from "../../i18n/message.ts"
import type { Collections } from "../collections/collections.ts"
import type { FileReference } from "../schema.ts"

interface Deps {
  files: Files
  collections: Collections
}

type NamedAttachment = Pick<FileReference, "type" | "id"> & { name: string }

/** Files and collections attached to questions. */
export interface Attachments {
  /** Deduplicated, in order. @throws {Failure} `file_not_found` or `collection_not_found` */
  resolveNames(caller: Caller, references: readonly FileReference[]): Promise<NamedAttachment[]>
  /** Those that were deleted since they were attached. */
  filterDeleted<T extends FileReference>(references: readonly T[]): Promise<T[]>
  /** The given files and collections that the caller can read. */
  readableAmong(
    caller: Caller,
    ids: { files: Iterable<string>; collections: Iterable<string> },
  ): Promise<{ files: ReadonlySet<string>; collections: ReadonlySet<string> }>
}

export const createAttachments = ({ files, collections }: Deps): Attachments => {
  const nameOf = async (caller: Caller, { type, id }: FileReference): Promise<string> => {
    const options = { param: "files" }
    if (type === "file") {
      const file = await files.find(caller, id)
      return file?.filename ?? fail("file_not_found", translatable("file_not_found"), options)
    }
    const collection = await collections.find(caller, id)
    return (
      collection?.name ??
      fail("collection_not_found", translatable("collection_not_found"), options)
    )
  }

  return {
    resolveNames: (caller, references) => {
      const byKey = new Map(references.map(({ type, id }) => [`${type} ${id}`, { type, id }]))
      const unique = [...byKey.values()]
      return Promise.all(unique.map(async (one) => ({ ...one, name: await nameOf(caller, one) })))
    },

    filterDeleted: async (references) => {
      const idsOf = (type: FileReference["type"]): string[] =>
        references.filter((one) => one.type === type).map(({ id }) => id)
      const existingFiles = await files.filterExisting(idsOf("file"))
      const existingCollections = await collections.filterExisting(idsOf("collection"))
      return references.filter(
        ({ type, id }) => !(type === "file" ? existingFiles : existingCollections).has(id),
      )
    },

    readableAmong: async (caller, ids) => ({
      files: await files.filterReadable(caller, [...new Set(ids.files)]),
      collections: await collections.readableAmong(caller, [...new Set(ids.collections)]),
    }),
  }
}
