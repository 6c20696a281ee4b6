import { sql } from "kysely"
import type { Tx } from "../db/database.ts"
import type { GroupMembershipEditor } from "../groups/provisioned-groups.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import type { Filter } from "./filter.ts"
import { createFilterCompiler } from "./filter-sql.ts"
import type { Operation } from "./patch-request.ts"
import { groupType } from "./resource-types.ts"
import { createIgnored, type Ignored, readValue } from "./values.ts"

/** A change of members with known ids. */
interface Step {
  verb: Operation["verb"]
  ids: string[]
}

/** @throws {Failure} `invalidValue` */
export const memberIds = (attribute: Attribute, value: unknown): string[] => {
  const members = readValue(attribute, value, createIgnored())
  return (Array.isArray(members) ? members : []).map((member) =>
    typeof member.value === "string"
      ? member.value
      : refuse("invalidValue", "The value of a member must be the id of a user."),
  )
}

/** The id in `members[value eq "…"]`, the only filter that providers send in practice. */
const idIn = (filter: Filter): string | undefined => {
  if (filter.kind !== "test" || filter.operator !== "eq") return undefined
  const named = filter.path.attribute.name === "value" && "text" in filter.operand
  return named && "text" in filter.operand ? filter.operand.text : undefined
}

/** Converts an operation that does not depend on the current members; undefined for others. */
const stepOf = ({ verb, target, value }: Operation): Step | undefined => {
  const { attribute, filter, sub } = target
  if (sub) return undefined
  if (!filter) {
    const everyone = verb === "remove" && (value === undefined || value === null)
    return everyone ? { verb: "replace", ids: [] } : { verb, ids: memberIds(attribute, value) }
  }
  const id = verb === "remove" ? idIn(filter) : undefined
  return id === undefined ? undefined : { verb, ids: [id] }
}

interface Place {
  tx: Tx
  groupId: string
  base: string
}

const matching = async (filter: Filter, { tx, groupId, base }: Place): Promise<string[]> => {
  const condition = createFilterCompiler({ type: groupType, base })(filter)
  const { rows } = await sql<{ user_id: string }>`
    select group_members.user_id from group_members
    inner join users on users.id = group_members.user_id
    where group_members.group_id = ${groupId} and ${condition}
  `.execute(tx)
  return rows.map(({ user_id }) => user_id)
}

/**
 * Applies an operation that depends on the current members. Members are immutable: they can only be
 * removed.
 */
const patchMatching = async (
  { verb, target }: Operation,
  {
    place,
    membership,
    ignored,
  }: { place: Place; membership: GroupMembershipEditor; ignored: Ignored },
): Promise<void> => {
  const { filter, sub } = target
  const ids = filter ? await matching(filter, place) : []
  if (verb === "remove" && !sub) return membership.remove(ids)
  if (filter && ids.length === 0) refuse("noTarget", "No member matches the filter in the path.")
  if (!sub || sub.name === "value" || verb === "remove") {
    refuse("mutability", "Members are immutable. Remove the member and add another.")
  }
  ignored.add(`members.${sub?.name}`)
}

/** Merges adjacent changes of the same kind: some providers send one operation per member. */
const joined = (steps: readonly Step[]): Step[] => {
  const result: Step[] = []
  for (const step of steps) {
    const last = result.at(-1)
    if (last && last.verb === step.verb && step.verb !== "replace") {
      // Pushed individually: spreading would exceed the argument limit for large groups.
      for (const id of step.ids) last.ids.push(id)
    } else result.push({ verb: step.verb, ids: [...step.ids] })
  }
  return result
}

/** Applies the operations of a PATCH on `members` in order. @throws {Failure} */
export const patchMembers = async (
  operations: readonly Operation[],
  context: { place: Place; membership: GroupMembershipEditor; ignored: Ignored },
): Promise<void> => {
  const { membership } = context
  let steps: Step[] = []
  const flush = async (): Promise<void> => {
    for (const { verb, ids } of joined(steps)) await membership[verb](ids)
    steps = []
  }
  for (const operation of operations) {
    const step = stepOf(operation)
    if (step) {
      steps.push(step)
      continue
    }
    await flush()
    await patchMatching(operation, context)
  }
  await flush()
}
