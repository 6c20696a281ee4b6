import { type RawBuilder, sql } from "kysely"
import type { Database } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { columnContains, columnContainsFolding } from "../db/text-matching.ts"
import type { Limit, LimitTarget } from "./schema.ts"

type TargetNames = Pick<Limit, "target_name" | "target_detail">

interface Deps {
  db: Pick<Database, "backgroundReader">
  /** Names of all connections by id, from the environment too. */
  connectionNames: () => Promise<ReadonlyMap<string, string>>
}

interface Source {
  /** Where the names of one type of target are: `names` has an id, a name and a detail of each. */
  names: RawBuilder<unknown>
  id: RawBuilder<unknown>
  contains: (text: string) => RawBuilder<unknown>[]
}

const owners = ["users.name_key", "users.email_key", "groups.name_key"] as const

/** What has a name in the database. */
const sources: Readonly<Partial<Record<LimitTarget["type"], Source>>> = {
  group: {
    names: sql`id, name, cast(null as text) as detail from "groups"`,
    id: sql`id`,
    contains: (text) => [columnContains("name_key", text)],
  },
  user: {
    names: sql`id, name, email as detail from users`,
    id: sql`id`,
    contains: (text) => [columnContains("name_key", text), columnContains("email_key", text)],
  },
  key: {
    names: sql`api_keys.id, api_keys.name, coalesce(users.name, "groups".name) as detail
      from api_keys left join users on users.id = api_keys.user_id
      left join "groups" on "groups".id = api_keys.group_id`,
    id: sql`api_keys.id`,
    contains: (text) => [
      columnContainsFolding("api_keys.name", text),
      ...owners.map((column) => columnContains(column, text)),
    ],
  },
  model: {
    names: sql`id, name, cast(null as text) as detail from models`,
    id: sql`id`,
    contains: (text) => [columnContainsFolding("name", text)],
  },
}

/** Identifies a target. A space does not occur in types. */
export const keyOfTarget = ({ type, id = "" }: { type: string; id?: string | undefined }): string =>
  `${type} ${id}`

/** What limits are for, by name. */
export const createTargetNames = ({ db, connectionNames }: Deps) => {
  /** One statement for all types. */
  const select = async (
    conditionOf: (type: string, source: Source) => RawBuilder<unknown> | undefined,
  ) => {
    const selections = Object.entries(sources).flatMap(([type, source]) => {
      const condition = conditionOf(type, source)
      const { names } = source
      return condition ? [sql`select ${sql.lit(type)} as type, ${names} where ${condition}`] : []
    })
    if (selections.length === 0) return []
    const united = sql.join(selections, sql` union all `)
    const query = sql<{ type: string; id: string; name: string; detail: string | null }>`${united}`
    return (await query.execute(db.backgroundReader)).rows
  }

  return {
    /** The names of targets, in their order; a target that no longer exists has none. */
    read: async (targets: readonly LimitTarget[]): Promise<TargetNames[]> => {
      const rows = await select((type, { id }) => {
        const ids = targets.flatMap((target) => (target.type === type && target.id) || [])
        return ids.length > 0 ? sql`${id} in (${sql.join([...new Set(ids)])})` : undefined
      })
      const rowByKey = new Map(rows.map((row) => [keyOfTarget(row), row]))
      const hasConnections = targets.some(({ type }) => type === "connection")
      const connections = hasConnections ? await connectionNames() : new Map<string, string>()
      return targets.map(({ type, id = "" }) => {
        const row = rowByKey.get(keyOfTarget({ type, id }))
        const name = row?.name ?? (type === "connection" ? connections.get(id) : undefined)
        return { target_name: name ?? null, target_detail: row?.detail ?? null }
      })
    },

    /** Finds the targets of limits that have a text in their name, or in that of a key's owner. */
    find: async (text: string): Promise<(target: LimitTarget) => boolean> => {
      const rows = await select((type, { id, contains }) => {
        const isLimited = sql`${id} in
          (select target_id from limits where target_type = ${sql.lit(type)})`
        return sql`${isLimited} and (${sql.join(contains(text), sql` or `)})`
      })
      const found = new Set(rows.map(keyOfTarget))
      const folded = foldCase(text)
      for (const [id, name] of await connectionNames())
        if (foldCase(name).includes(folded)) found.add(keyOfTarget({ type: "connection", id }))
      return ({ type, id = "" }) =>
        found.has(keyOfTarget({ type, id })) || (type === "model" && foldCase(id).includes(folded))
    },
  }
}

export type TargetNameFinder = ReturnType<typeof createTargetNames>
