import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import type { ModelChanges, WorkspaceModel } from "./schema.ts"

/** Honest models stay far below it: of `system` alone, 200,000 characters are allowed. */
const maxContentCharacters = 512_000

export interface MaxModels {
  perUser: number
  total: number
}

interface Counts {
  /** Null where only the total is limited: an import brings everybody's models to one account. */
  ofUser: number | null
  total: number
}

/** @throws {Failure} `limit_reached` where `added` more models would be too many */
export const checkModelCount = ({ ofUser, total }: Counts, added: number, max: MaxModels): void => {
  if (ofUser !== null && ofUser + added > max.perUser) {
    const most = `one user may have at most ${max.perUser} (MAX_MODELS)`
    fail("limit_reached", `You have ${ofUser} models; ${most}. Delete models you no longer need.`)
  }
  if (total + added > max.total) {
    const most = `this gateway may have at most ${max.total} (MAX_MODELS)`
    fail("limit_reached", `There are ${total} models; ${most}. Ask an administrator to raise it.`)
  }
}

/** @throws {Failure} `limit_reached` where there are too many grants on models, all of them in memory */
export const checkGrantCount = ({ ofUser, total }: Counts): void => {
  if (ofUser !== null && ofUser > maxRows.modelGrantsPerUser) {
    const most = `The models of one user may have at most ${maxRows.modelGrantsPerUser} grants`
    fail("limit_reached", `${most} together. Grant access to groups instead of to many users.`)
  }
  if (total > maxRows.modelGrants) {
    const most = `All models together may have at most ${maxRows.modelGrants} grants`
    fail("limit_reached", `${most}. Grant access to groups instead of to many users.`)
  }
}

type Contents = Pick<WorkspaceModel, "meta" | "params">

const lengthOf = (value: object): number => JSON.stringify(value).length

/**
 * Refuses contents above the limit, but not of a model that was above it and grows no further.
 * @param sent the fields that the request brings
 * @param before what the model had until now
 * @throws {Failure} `invalid`, naming the larger one of the fields that were sent
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
