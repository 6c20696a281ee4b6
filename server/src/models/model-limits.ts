import type { UserAndTotal } from "../concurrency/user-limit.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail, failInvalid } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { StorageAddition } from "../storage/storage-quota.ts"
import type { ModelChanges, WorkspaceModel } from "./schema.ts"
import { modelBytes } from "./store.ts"

/** Legitimate models stay far below this: `system` alone may have 200,000 characters. */
const maxContentCharacters = 512_000

interface ModelCounts {
  /** Null if only the total is limited: an import restores all users' models under one account. */
  ofUser: number | null
  total: number
}

/** @throws {Failure} `limit_reached` if `added` more models would exceed a limit */
export const checkModelCount = (
  { ofUser, total }: ModelCounts,
  added: number,
  max: UserAndTotal,
): void => {
  if (ofUser !== null && ofUser + added > max.perUser) {
    const rule = `the limit per user is ${max.perUser} (MAX_MODELS)`
    fail("limit_reached", `You have ${ofUser} models; ${rule}. Delete models you no longer need.`)
  }
  if (total + added > max.total) {
    const rule = `the limit is ${max.total} (MAX_MODELS)`
    fail(
      "limit_reached",
      `There are ${total} models; ${rule}. Ask an administrator to raise the limit.`,
    )
  }
}

/**
 * @throws {Failure} `limit_reached` if there are too many grants on models, all of which are in
 * memory
 */
export const checkGrantCount = ({ ofUser, total }: ModelCounts): void => {
  if (ofUser !== null && ofUser > maxRows.modelGrantsPerUser) {
    const rule = `One user's models may have at most ${maxRows.modelGrantsPerUser} grants`
    fail("limit_reached", `${rule} in total. Grant access to groups instead of individual users.`)
  }
  if (total > maxRows.modelGrants) {
    const rule = `All models together may have at most ${maxRows.modelGrants} grants`
    fail("limit_reached", `${rule}. Grant access to groups instead of individual users.`)
  }
}

type LimitedContents = Pick<WorkspaceModel, "meta" | "params">

const lengthOf = (value: object): number => JSON.stringify(value).length

/**
 * Rejects contents above the limit, except those of a model that already exceeded it and does not
 * grow.
 * @param sent the fields in the request
 * @param before the model's previous contents
 * @throws {Failure} `invalid`, naming the larger one of the fields in the request
 */
export const checkContentLength = (
  { meta, params }: LimitedContents,
  {
    sent,
    before,
    path = "",
  }: { sent: ModelChanges; before?: LimitedContents; path?: string | undefined },
): void => {
  const [metaLength, paramsLength] = [lengthOf(meta), lengthOf(params)]
  const length = metaLength + paramsLength
  if (length <= maxContentCharacters) return
  if (before && length <= lengthOf(before.meta) + lengthOf(before.params)) return
  const isMeta = sent.meta && (!sent.params || metaLength > paramsLength)
  const field = `${path}${isMeta ? "meta" : "params"}`
  const limit = `\`meta\` and \`params\` are limited to ${maxContentCharacters.toLocaleString("en")} characters of JSON in total`
  const message = `${limit}; yours are ${length.toLocaleString("en")}. Shorten \`${field}\`.`
  failInvalid(field, message)
}

/** What a change adds to the storage of the model's owner. @param known the model before it */
export const storageAdditionOf = (
  caller: Caller,
  known: WorkspaceModel | undefined,
  changes: ModelChanges,
): StorageAddition => {
  const { meta = known?.meta ?? {}, params = known?.params ?? {} } = changes
  const bytes = modelBytes({ meta, params }) - (known ? modelBytes(known) : 0)
  return { owner: known?.user_id ?? caller.user.id, addedBy: caller.user.id, bytes }
}
