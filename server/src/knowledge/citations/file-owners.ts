import type { Database } from "../../db/database.ts"
import type { FileSummary } from "../../files/file-store.ts"
import { readUserNames } from "../../users/affected-objects.ts"
import type { FoundPassage } from "../schema.ts"

/** Adds the names of the files' owners to passages. */
export type AddOwners = (
  passages: readonly FoundPassage[],
  files: readonly Pick<FileSummary, "id" | "user_id">[],
) => Promise<FoundPassage[]>

export const createFileOwners =
  (db: Database): AddOwners =>
  async (passages, files) => {
    const ids = new Set(passages.map(({ file_id }) => file_id))
    const ownerByFile = new Map(
      files.filter(({ id }) => ids.has(id)).map(({ id, user_id }) => [id, user_id]),
    )
    const names = await readUserNames(db.read, [...ownerByFile.values()])
    return passages.map((passage) => ({
      ...passage,
      owner: names.get(ownerByFile.get(passage.file_id) ?? "") ?? null,
    }))
  }
