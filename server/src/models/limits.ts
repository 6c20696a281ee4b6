import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import type { ModelChanges, WorkspaceModel } from "./schema.ts"

/** Legitimate models stay far below this: `system` alone may have 200,000 characters. */
const maxContentCharacters = 512_000

export interface MaxModels {
  perUser: number
  total: number
}

interface Counts {
  /** Null if only the total is limited: an import restores all users' models under one account. */
  ofUser: number | null
  total: number
}

/** @throws {Failure} `limit_reached` if `added` more models would exceed a limit */
export const checkModelCount = ({ ofUser, total }: Counts, added: number, max: MaxModels): void => {
  if (ofUser !== null && ofUser + added > max.perUser) {
    const most = `the limit per user is ${max.perUser} (MAX_MODELS)`
    fail("limit_reached", `You have ${ofUser} models; ${most}. Delete models you no longer need.`)
  }
  if (total + added > max.total) {
    const most = `the limit is ${max.total} (MAX_MODELS)`
    fail(
      "limit_reached",
      `There are ${total} models; ${most}. Ask an administrator to raise the limit.`,
    )
  }
}

/**
 * @throws {Failure} `limit_reached` if there are too many grants on models, all of which are in
 * memory
 */
export const checkGrantCount = ({ ofUser, total }: Counts): void => {
  if (ofUser !== null && ofUser > maxRows.modelGrantsPerUser) {
    const most = `One user's models may have at most ${maxRows.modelGrantsPerUser} grants`
    fail("limit_reached", `${most} in total. Grant access to groups instead of individual users.`)
  }
  if (total > maxRows.modelGrants) {
    const most = `All models together may have at most ${maxRows.modelGrants} grants`
    fail("limit_reached", `${most}. Grant access to groups instead of individual users.`)
  }
}

type Contents = Pick<WorkspaceModel, "meta" | "params">

const lengthOf = (value: object): number => JSON.stringify(value).length

/**
 * Rejects contents above the limit, except those of a model that already exceeded it and does not
 * grow.
 * @param sent the fields in the request
 * @param before the model's previous contents
 * @throws {Failure} `invalid`, naming the larger one of the fields in the request
 */
export const checkContentLength = (
  { meta, params }: Contents,
  { sent, before, path = "" }: { sent: ModelChanges; before?: Contents; path?: string | undefined },
): void => {
  const [ofMeta, ofParams] = [lengthOf(meta), lengthOf(params)]
  const length = ofMeta + ofParams
  if (length <= maxContentCharacters) return
  if (before && length <= lengthOf(before.meta) + lengthOf(before.params)) return
  const isMeta = sent.meta && (!sent.params || ofMeta > ofParams)
  const field = `${path}${isMeta ? "meta" : "params"}`
  const limit = `\`meta\` and \`params\` are limited to ${maxContentCharacters.toLocaleString("en")} characters of JSON in total`
  const message = `${limit}; yours are ${length.toLocaleString("en")}. Shorten \`${field}\`.`
  fail("invalid", `${field}: ${message}`, { errors: [{ path: field, message }] })
}
