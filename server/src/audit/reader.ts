import { setImmediate as breathe } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Database, Reader } from "../db/database.ts"
import { fail } from "../errors.ts"
import { createEventNameFinder, type EventNames } from "./event-names.ts"
import { buildAuditConditions } from "./filter-conditions.ts"
import type { AuditEventRecord } from "./hash-chain.ts"
import {
  AuditEvent,
  type AuditFilters,
  type AuditPage,
  type AuditQuery,
  type AuditStatus,
} from "./schema.ts"

/** Maximum rows scanned per statement: a long scan would block the embedded database. */
const windowSize = 2000
/** A page that takes longer to fill is returned incomplete, with a cursor. */
const pageTimeoutMs = 300
const exportPageSize = 200

interface SealedEvents {
  count: number
  pruned: boolean
  events: AuditEvent[]
}

interface EventPosition {
  at: number
  id: string
}

const encodeCursor = ({ at, id }: EventPosition): string => `${at}.${id}`

const decodeCursor = (cursor: string): EventPosition => {
  const dot = cursor.indexOf(".")
  return { at: Number(cursor.slice(0, dot)), id: cursor.slice(dot + 1) }
}

const parseNullable = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

const parseNames = (text: string | null): string[] => (text === null ? [] : JSON.parse(text))

const toEvent = (row: AuditEventRecord, names: EventNames): AuditEvent =>
  AuditEvent.parse({
    ...row,
    actor_name: names.actors.get(row.actor_id ?? "")?.email ?? null,
    actor_display_name: names.actors.get(row.actor_id ?? "")?.name ?? null,
    key_name: names.keys.get(row.key_id ?? "") ?? null,
    target_name: names.targetOf(row),
    changed: parseNames(row.changed),
    ignored: parseNames(row.ignored),
    before: parseNullable(row.before),
    after: parseNullable(row.after),
    access_change: names.accessChangeOf(row),
  })

/** Reads the audit log, newest first, in short steps that block nothing however long the log is. */
export interface AuditReader {
  /** Number of the latest block; 0 if there is none. */
  lastBlock(reader?: Reader): Promise<number>
  /** Events sealed by a block, ordered by id; empty if they were pruned. */
  block(number: number): Promise<SealedEvents | undefined>
  /**
   * When a SCIM token was last used, in epoch seconds; null if not within the latest requests.
   */
  lastScimUse(tokenId: string): Promise<number | null>
  sealStatus(): Promise<Omit<AuditStatus, "stream">>
  /** @throws {Failure} `not_found` */
  get(id: string): Promise<AuditEvent>
  page(query: AuditQuery): Promise<AuditPage>
  /** Yields all matching events page by page, reading the next page on demand. */
  iteratePages(filters: AuditFilters): AsyncGenerator<AuditEvent[]>
}

export const createAuditReader = (db: Database): AuditReader => {
  const { read } = db
  const findNames = createEventNameFinder(db)

  const toEvents = async (rows: readonly AuditEventRecord[]): Promise<AuditEvent[]> => {
    const names = await findNames(rows)
    return rows.map((row) => toEvent(row, names))
  }

  /** Iterates backward through the log from `after`, one window at a time. */
  const createBackwardScan = async (filters: AuditFilters, after: EventPosition | undefined) => {
    // A search compares many texts, which would keep other requests on this thread waiting.
    const reader = filters.query ? db.backgroundReader : read
    const { indexed, others: conditions } = await buildAuditConditions(reader, filters)
    const { from, to } = filters
    const range = (position: EventPosition | undefined): RawBuilder<boolean>[] => [
      ...indexed,
      ...(from === undefined ? [] : [sql<boolean>`at >= ${from}`]),
      ...(to === undefined ? [] : [sql<boolean>`at <= ${to}`]),
      ...(position ? [sql<boolean>`(at, id) < (${position.at}, ${position.id})`] : []),
    ]
    const all = (parts: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
      parts.length === 0 ? sql<boolean>`(1 = 1)` : sql<boolean>`${sql.join(parts, sql` and `)}`

    const windowEnd = (position: EventPosition | undefined): Promise<EventPosition | undefined> =>
      reader
        .selectFrom("audit_events")
        .select(["at", "id"])
        .where(all(range(position)))
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .offset(windowSize - 1)
        .limit(1)
        .executeTakeFirst()

    let position = after
    /** @returns matching rows, and the position to continue from; null at the end */
    return async (
      limit: number,
    ): Promise<{ rows: AuditEventRecord[]; position: EventPosition | null }> => {
      const end = conditions.length === 0 ? undefined : await windowEnd(position)
      const timeConditions = end ? [sql<boolean>`(at, id) >= (${end.at}, ${end.id})`] : []
      const rows = await reader
        .selectFrom("audit_events")
        .selectAll()
        .where(all([...range(position), ...timeConditions, ...conditions]))
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute()
      const last = rows.length === limit ? rows.at(-1) : end
      position = last
      return { rows, position: last ? { at: last.at, id: last.id } : null }
    }
  }

  const findLastBlock = (reader: Reader) =>
    reader
      .selectFrom("audit_blocks")
      .select(["number", "sealed_at"])
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst()

  return {
    lastBlock: async (reader = read) => (await findLastBlock(reader))?.number ?? 0,

    block: async (number) => {
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
      return { count: block.count, pruned, events: pruned ? [] : await toEvents(rows) }
    },

    lastScimUse: async (tokenId) => {
      const { rows } = await sql<{ at: number }>`
        select at from (
          select at, id, actor_id from audit_events where actor_type = 'scim'
          order by at desc, id desc limit ${windowSize}
        ) as latest where actor_id = ${tokenId} order by at desc limit 1
      `.execute(read)
      return rows[0]?.at ?? null
    },

    sealStatus: async () => {
      const last = await findLastBlock(read)
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

    get: async (id) => {
      const row = await read
        .selectFrom("audit_events")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst()
      const [event] = row ? await toEvents([row]) : []
      return event ?? fail("not_found", `No audit event with the ID ${id}`)
    },

    page: async ({ cursor, page_size, ...filters }) => {
      const startedAt = performance.now()
      const step = await createBackwardScan(filters, cursor ? decodeCursor(cursor) : undefined)
      const found: AuditEventRecord[] = []
      let position: EventPosition | null
      do {
        await breathe()
        const more = await step(page_size - found.length)
        found.push(...more.rows)
        position = more.position
      } while (
        position &&
        found.length < page_size &&
        performance.now() - startedAt < pageTimeoutMs
      )
      const isIncomplete = found.length < page_size
      return {
        items: await toEvents(found),
        next: position && encodeCursor(position),
        searched_to: isIncomplete ? (position?.at ?? null) : null,
      }
    },

    iteratePages: async function* (filters: AuditFilters): AsyncGenerator<AuditEvent[]> {
      const step = await createBackwardScan(filters, undefined)
      for (;;) {
        const { rows, position } = await step(exportPageSize)
        if (rows.length > 0) yield await toEvents(rows)
        if (!position) return
        await breathe()
      }
    },
  }
}
