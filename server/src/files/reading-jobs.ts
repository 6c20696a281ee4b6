import type { NewJob } from "../jobs/store.ts"
import type { StoredFile } from "./file-store.ts"

/** Files with the same content run one at a time, so later ones copy the result of the first. */
export const createReadingJob = (
  kind: "read" | "reread",
  { id, hash, user_id }: Pick<StoredFile, "id" | "hash" | "user_id">,
): NewJob => ({ kind, target: id, turn: hash, owner: user_id })
