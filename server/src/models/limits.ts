import { fail } from "../errors.ts"
import type { ModelChanges, WorkspaceModel } from "./schema.ts"

/** Honest models stay far below it: of `system` alone, 200,000 characters are allowed. */
const maxContentCharacters = 512_000

export interface MaxModels {
  perUser: number
  total: number
}

/** @throws {Failure} `limit_reached` where `added` more models would be too many */
export const checkModelCount = (
  { ofUser, total }: { ofUser: number; total: number },
  added: number,
  max: MaxModels,
): void => {
  if (ofUser + added > max.perUser) {
    const most = `one user may have at most ${max.perUser} (MAX_MODELS)`
    fail("limit_reached", `You have ${ofUser} models; ${most}. Delete models you no longer need.`)
  }
  if (total + added > max.total) {
    const most = `this gateway may have at most ${max.total} (MAX_MODELS)`
    fail("limit_reached", `There are ${total} models; ${most}. Ask an administrator to raise it.`)
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
  const limit = `meta and params may have at most ${maxContentCharacters} characters of JSON (512 kB)`
  const message = `${limit} together, and these have ${length}; shorten ${field}`
  fail("invalid", `${field}: ${message}`, { errors: [{ path: field, message }] })
}
