import type { Database } from "../db/database.ts"
import { type NameSource, nameSources, readNames } from "../db/object-names.ts"
import { type AccessDifference, compareAccess } from "./compare-access.ts"
import type { AuditEventRecord } from "./hash-chain.ts"
import type { AuditEvent } from "./schema.ts"

/** Members of an event's details that name its target, for targets that were deleted since. */
const nameMembers = ["name", "filename", "title", "email"] as const

/** The name of an event's target as its details recorded it. */
const recordedName = ({ before, after }: AuditEventRecord): string | undefined => {
  const details: Record<string, unknown> = {
    ...JSON.parse(before ?? "{}"),
    ...JSON.parse(after ?? "{}"),
  }
  const names = nameMembers.map((member) => details[member])
  return names.find((name): name is string => typeof name === "string" && name !== "")
}

const targetKey = (type: string | null, id: string | null): string => `${type} ${id}`

const principalNames: Record<string, NameSource> = {
  user: { table: "users", column: "name" },
  group: nameSources.group,
}

/** Names of what events refer to by ID. */
export interface EventNames {
  actors: ReadonlyMap<string, { email: string; name: string }>
  keys: ReadonlyMap<string, string>
  targetOf: (row: AuditEventRecord) => string | null
  accessChangeOf: (row: AuditEventRecord) => AuditEvent["access_change"]
}

/** Returns a function that finds the names that events refer to only by ID. */
export const createEventNameFinder = ({ read }: Pick<Database, "read">) => {
  const findActors = async (rows: readonly AuditEventRecord[]): Promise<EventNames["actors"]> => {
    const ids = new Set(rows.flatMap(({ actor_id }) => actor_id ?? []))
    if (ids.size === 0) return new Map()
    const users = await read
      .selectFrom("users")
      .select(["id", "email", "name"])
      .where("id", "in", [...ids])
      .execute()
    return new Map(users.map(({ id, ...user }) => [id, user]))
  }

  const findKeys = async (rows: readonly AuditEventRecord[]): Promise<EventNames["keys"]> => {
    const keys = await readNames(
      read,
      nameSources.key,
      new Set(rows.flatMap(({ key_id }) => key_id ?? [])),
    )
    return new Map(keys.map(({ id, name }) => [id, name]))
  }

  const findTargets = async (
    rows: readonly AuditEventRecord[],
  ): Promise<ReadonlyMap<string, string>> => {
    const names = new Map<string, string>()
    for (const row of rows) {
      const name = recordedName(row)
      if (name !== undefined) names.set(targetKey(row.target_type, row.target_id), name)
    }
    for (const [type, source] of Object.entries<NameSource>(nameSources)) {
      const targets = rows.filter(({ target_type }) => target_type === type)
      const ids = new Set(targets.flatMap(({ target_id }) => target_id ?? []))
      for (const { id, name } of await readNames(read, source, ids))
        names.set(targetKey(type, id), name)
    }
    return names
  }

  const findPrincipals = async (
    differences: Iterable<AccessDifference>,
  ): Promise<ReadonlyMap<string, string>> => {
    const names = new Map<string, string>()
    const principals = [...differences].flatMap(({ principal }) => principal ?? [])
    for (const [type, source] of Object.entries(principalNames)) {
      const ids = principals.filter((one) => one.type === type).map(({ id }) => id)
      for (const { id, name } of await readNames(read, source, ids)) names.set(id, name)
    }
    return names
  }

  const findAccessChanges = async (
    rows: readonly AuditEventRecord[],
  ): Promise<EventNames["accessChangeOf"]> => {
    const differences = new Map(
      rows.flatMap((row) => {
        const difference = compareAccess(row)
        return difference ? [[row.id, difference] as const] : []
      }),
    )
    const names = await findPrincipals(differences.values())
    return ({ id }) => {
      const difference = differences.get(id)
      if (!difference) return null
      const principal_id = difference.principal?.id ?? null
      const principal_name = names.get(principal_id ?? "") ?? null
      return { change: difference.change, principal_id, principal_name }
    }
  }

  return async (rows: readonly AuditEventRecord[]): Promise<EventNames> => {
    const targets = await findTargets(rows)
    return {
      actors: await findActors(rows),
      keys: await findKeys(rows),
      targetOf: ({ target_type, target_id }) =>
        targets.get(targetKey(target_type, target_id)) ?? null,
      accessChangeOf: await findAccessChanges(rows),
    }
  }
}
