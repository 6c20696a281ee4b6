import type { Projection, ResourceType, ScimJson } from "@portico/scim"
import { type RawBuilder, sql } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"

export interface ResourceQuery {
  where: RawBuilder<boolean>
  order: RawBuilder<unknown>
  limit: number
  offset: number
}

/** Shape of a response: its attributes, and the base URL of its links. */
export interface ResponseShape {
  projection: Projection
  base: string
}

/** Queries one resource type: database rows in, SCIM JSON out. */
export interface ResourceView {
  type: ResourceType
  count(where: RawBuilder<boolean>): Promise<number>
  page(page: ResourceQuery, shape: ResponseShape, reader?: Reader): Promise<ScimJson[]>
  findOne(id: string, shape: ResponseShape, reader?: Reader): Promise<ScimJson | undefined>
}

/** Changes resources of one type for the identity provider. */
export interface ResourceOperations {
  create(actor: Actor, body: unknown, shape: ResponseShape): Promise<ScimJson>
  replace(actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson>
  patch(actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson>
  remove(actor: Actor, id: string): Promise<void>
}

/** How the resources of one type are read and changed. */
export interface ScimResource {
  view: ResourceView
  operations: ResourceOperations
}

interface ResourceWrite {
  shape: ResponseShape
  /** Of the resource, if it exists. */
  locks?: readonly string[]
  /** Whether it only takes access away, which works on a nearly full disk, as deletion does. */
  takesAccess?: boolean
}

/** Returns a function that changes a resource and reads it back, in one transaction. */
export const createResourceWriter =
  (db: Database, view: ResourceView) =>
  (
    change: (tx: Tx) => Promise<{ id: string }>,
    { shape, locks = [], takesAccess = false }: ResourceWrite,
  ): Promise<ScimJson> =>
    (takesAccess ? db.essential : db).transactLocked(locks, async (tx) => {
      const { id } = await change(tx)
      return (await view.findOne(id, shape, tx)) ?? {}
    })

export const createFindOne =
  ({ table }: ResourceType, page: ResourceView["page"]): ResourceView["findOne"] =>
  async (id, shape, reader) => {
    const column = sql.ref(`${table}.id`)
    const where = sql<boolean>`${column} = ${id}`
    const [found] = await page({ where, order: column, limit: 1, offset: 0 }, shape, reader)
    return found
  }

/** Formats epoch milliseconds as RFC 3339. */
const time = (ms: number): string => new Date(ms).toISOString()

export const omitNull = (json: Record<string, unknown>): ScimJson =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null))

export const metaJson = (
  resourceType: "User" | "Group",
  location: string,
  { created_ms, updated_ms }: { created_ms: number; updated_ms: number },
): ScimJson => ({
  resourceType,
  created: time(created_ms),
  lastModified: time(updated_ms),
  location,
})

export const userLocation = (base: string, id: string): string => `${base}/Users/${id}`
export const groupLocation = (base: string, id: string): string => `${base}/Groups/${id}`
