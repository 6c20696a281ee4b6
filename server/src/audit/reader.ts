import { setImmediate as breathe } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Database, Reader } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { EventRow } from "./chain.ts"
import { conditionsOf } from "./filter.ts"
import type { AuditFilters, AuditPage, AuditQuery } from "./schema.ts"
import { type AuditEvent, AuditEvent as Event } from "./schema.ts"

/** Maximum rows scanned per statement: a long scan would block the embedded database. */
const window = 2000
/** A page that takes longer to fill is returned incomplete, with a cursor. */
const patienceMs = 300
const exportPage = 200

interface Place {
  at: number
  id: string
}

const cursorOf = ({ at, id }: Place): string => `${at}.${id}`

const placeOf = (cursor: string): Place => {
  const dot = cursor.indexOf(".")
  return { at: Number(cursor.slice(0, dot)), id: cursor.slice(dot + 1) }
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

const namesIn = (text: string | null): string[] => (text === null ? [] : JSON.parse(text))

const toEvent = (row: EventRow, names: ReadonlyMap<string, string>): AuditEvent =>
  Event.parse({
    ...row,
    actor_name: names.get(row.actor_id ?? "") ?? null,
    target_name: names.get(row.target_id ?? "") ?? null,
    changed: namesIn(row.changed),
    ignored: namesIn(row.ignored),
    before: parsed(row.before),
    after: parsed(row.after),
  })

/** Reads the audit log, newest first, in short steps that block nothing however long the log is. */
export const createAuditReader = (db: Database) => {
  const { read } = db

  /** E-mail addresses of accounts and names of groups that the events refer to. */
  const namesOf = async (rows: readonly EventRow[]): Promise<Map<string, string>> => {
    const ids = new Set<string>()
    for (const { actor_id, target_type, target_id } of rows) {
      if (actor_id) ids.add(actor_id)
      if (target_id && (target_type === "user" || target_type === "group")) ids.add(target_id)
    }
    if (ids.size === 0) return new Map()
    const users = await read
      .selectFrom("users")
      .select(["id", "email as name"])
      .where("id", "in", [...ids])
      .execute()
    const groups = await read
      .selectFrom("groups")
      .select(["id", "name"])
      .where("id", "in", [...ids])
      .execute()
    return new Map([...users, ...groups].map(({ id, name }) => [id, name]))
  }

  const represent = async (rows: readonly EventRow[]): Promise<AuditEvent[]> => {
    const names = await namesOf(rows)
    return rows.map((row) => toEvent(row, names))
  }

  /** Iterates backward through the log from `after`, one window at a time. */
  const createWalk = async (filters: AuditFilters, after: Place | undefined) => {
    const { indexed, others: conditions } = await conditionsOf(read, filters)
    const { from, to } = filters
    const range = (place: Place | undefined): RawBuilder<boolean>[] => [
      ...indexed,
      ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
      ...(to === undefined ? [] : [sql<boolean>`at <= ${to}`]),
      ...(place ? [sql<boolean>`(at, id) < (${place.at}, ${place.id})`] : []),
    ]
    const all = (parts: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
      parts.length === 0 ? sql<boolean>`(1 = 1)` : sql<boolean>`${sql.join(parts, sql` and `)}`

    const windowEnd = (place: Place | undefined): Promise<Place | undefined> =>
      read
        .selectFrom("audit_events")
        .select(["at", "id"])
        .where(all(range(place)))
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .offset(window - 1)
        .limit(1)
        .executeTakeFirst()

    let place = after
    /** @returns matching rows, and the position to continue from; null at the end */
    return async (limit: number): Promise<{ rows: EventRow[]; place: Place | null }> => {
      const end = conditions.length === 0 ? undefined : await windowEnd(place)
      const within = end ? [sql<boolean>`(at, id) >= (${end.at}, ${end.id})`] : []
      const rows = await read
        .selectFrom("audit_events")
        .selectAll()
        .where(all([...range(place), ...within, ...conditions]))
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute()
      const last = rows.length === limit ? rows.at(-1) : end
      place = last
      return { rows, place: last ? { at: last.at, id: last.id } : null }
    }
  }

  const lastBlock = async (reader: Reader = read): Promise<number> => {
    const last = await reader
      .selectFrom("audit_blocks")
      .select("number")
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst()
    return last?.number ?? 0
  }

  return {
    /** Number of the latest block; 0 if there is none. */
    lastBlock,

    /** Events sealed by a block, ordered by id; empty if they were pruned. */
    block: async (number: number) => {
      const block = await read
        .selectFrom("audit_blocks")
        .select(["count", "pruned_at"])
        .where("number", "=", number)
        .executeTakeFirst()
      if (!block) return undefined
      const rows = await read
        .selectFrom("audit_events")
        .selectAll()
        .where("block", "=", number)
        .orderBy("id")
        .execute()
      const pruned = block.pruned_at !== null
      return { count: block.count, pruned, events: pruned ? [] : await represent(rows) }
    },

    /**
     * When a SCIM token was last used, in epoch seconds; null if not within the latest requests.
     */
    lastByScim: async (tokenId: string): Promise<number | null> => {
      const { rows } = await sql<{ at: number }>`
        select at from (
          select at, id, actor_id from audit_events where actor_type = 'scim'
          order by at desc, id desc limit ${window}
        ) as latest where actor_id = ${tokenId} order by at desc limit 1
      `.execute(read)
      return rows[0]?.at ?? null
    },

    sealing: async () => {
      const last = await read
        .selectFrom("audit_blocks")
        .select(["number", "sealed_at"])
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst()
      const pruned = await read
        .selectFrom("audit_blocks")
        .select("last_at")
        .where("pruned_at", "is not", null)
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst()
      return {
        blocks: last?.number ?? 0,
        sealed_at: last?.sealed_at ?? null,
        pruned_to: pruned?.last_at ?? null,
      }
    },

    /** @throws {Failure} `not_found` */
    get: async (id: string): Promise<AuditEvent> => {
      const row = await read
        .selectFrom("audit_events")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst()
      const [event] = row ? await represent([row]) : []
      return event ?? fail("not_found", `No audit event with the ID ${id}`)
    },

    page: async ({ cursor, page_size, ...filters }: AuditQuery): Promise<AuditPage> => {
      const begun = performance.now()
      const step = await createWalk(filters, cursor ? placeOf(cursor) : undefined)
      const found: EventRow[] = []
      let place: Place | null
      do {
        await breathe()
        const more = await step(page_size - found.length)
        found.push(...more.rows)
        place = more.place
      } while (place && found.length < page_size && performance.now() - begun < patienceMs)
      const stopped = found.length < page_size
      return {
        items: await represent(found),
        next: place && cursorOf(place),
        searched_to: stopped ? (place?.at ?? null) : null,
      }
    },

    /** Yields all matching events page by page, reading the next page on demand. */
    each: async function* (filters: AuditFilters): AsyncGenerator<AuditEvent[]> {
      const step = await createWalk(filters, undefined)
      for (;;) {
        const { rows, place } = await step(exportPage)
        if (rows.length > 0) yield await represent(rows)
        if (!place) return
        await breathe()
      }
    },
  }
}

export type AuditReader = ReturnType<typeof createAuditReader>
