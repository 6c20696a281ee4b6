import {
  createFilterCompiler,
  type Filter,
  failScim,
  IgnoredAttributes,
  type PatchOperation,
  parseValue,
} from "@portico/scim"
import { sql } from "kysely"
import type { Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { escapeLike } from "../db/text-matching.ts"
import type { MembershipEditor } from "../groups/group-writer.ts"
import { groupType, membersAttribute } from "./resource-types.ts"

/** A change of members with known ids. */
interface MembershipChange {
  verb: PatchOperation["verb"]
  ids: string[]
}

/** @throws {ScimError} `invalidValue` */
export const parseMemberIds = (value: unknown): string[] => {
  const members = parseValue(membersAttribute, value, new IgnoredAttributes())
  return (Array.isArray(members) ? members : []).map((member) =>
    typeof member.value === "string"
      ? member.value
      : failScim("invalidValue", "The value of a member must be the id of a user."),
  )
}

/** The id in `members[value eq "…"]`, the only filter that providers send in practice. */
const memberIdInFilter = (filter: Filter): string | undefined => {
  if (filter.kind !== "test" || filter.operator !== "eq") return undefined
  const { path, operand } = filter
  return path.attribute.name === "value" && "text" in operand ? operand.text : undefined
}

/** Converts an operation that does not depend on the current members; undefined for others. */
const toMembershipChange = ({
  verb,
  target,
  value,
}: PatchOperation): MembershipChange | undefined => {
  const { filter, sub } = target
  if (sub) return undefined
  if (!filter) {
    const removesAll = verb === "remove" && (value === undefined || value === null)
    return removesAll ? { verb: "replace", ids: [] } : { verb, ids: parseMemberIds(value) }
  }
  const id = verb === "remove" ? memberIdInFilter(filter) : undefined
  return id === undefined ? undefined : { verb, ids: [id] }
}

interface GroupContext {
  tx: Tx
  groupId: string
  base: string
}

interface MemberPatchContext {
  place: GroupContext
  membership: MembershipEditor
  ignored: IgnoredAttributes
}

const findMatchingMembers = async (
  filter: Filter,
  { tx, groupId, base }: GroupContext,
): Promise<string[]> => {
  const condition = createFilterCompiler({ type: groupType, base, foldCase, escapeLike })(filter)
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
  { verb, target }: PatchOperation,
  { place, membership, ignored }: MemberPatchContext,
): Promise<void> => {
  const { filter, sub } = target
  const ids = filter ? await findMatchingMembers(filter, place) : []
  if (verb === "remove" && !sub) return membership.remove(ids)
  if (filter && ids.length === 0) failScim("noTarget", "No member matches the filter in the path.")
  if (!sub || sub.name === "value" || verb === "remove") {
    failScim("mutability", "Members are immutable. Remove the member and add another.")
  }
  ignored.add(`members.${sub?.name}`)
}

/** Merges adjacent changes of the same kind: some providers send one operation per member. */
const mergeChanges = (steps: readonly MembershipChange[]): MembershipChange[] => {
  const result: MembershipChange[] = []
  for (const step of steps) {
    const last = result.at(-1)
    if (last && last.verb === step.verb && step.verb !== "replace") {
      // Pushed individually: spreading would exceed the argument limit for large groups.
      for (const id of step.ids) last.ids.push(id)
    } else result.push({ verb: step.verb, ids: [...step.ids] })
  }
  return result
}

/** Applies the operations of a PATCH on `members` in order. @throws {ScimError} */
export const patchMembers = async (
  operations: readonly PatchOperation[],
  context: MemberPatchContext,
): Promise<void> => {
  const { membership } = context
  let steps: MembershipChange[] = []
  const flush = async (): Promise<void> => {
    for (const { verb, ids } of mergeChanges(steps)) await membership[verb](ids)
    steps = []
  }
  for (const operation of operations) {
    const step = toMembershipChange(operation)
    if (step) {
      steps.push(step)
      continue
    }
    await flush()
    await patchMatching(operation, context)
  }
  await flush()
}
