import type { Insertable, Selectable } from "kysely"
import { foldCase } from "../db/fold-case.ts"
import type { UserEmailRow, UserRow } from "../db/tables.ts"
import { RecordSource, Role, type User, type UserEmail } from "./schema.ts"

export interface StoredUser extends Omit<User, "created_at" | "updated_at" | "released"> {
  password_hash: string | null
  /** Epoch milliseconds. */
  created_ms: number
  updated_ms: number
  /**
   * True once the e-mail address was released for another account, by a DELETE or by an
   * administrator.
   */
  hidden: boolean
  /** True from a DELETE through SCIM until an administrator releases the address. */
  external_id_fixed: boolean
  fixed_external_id: string | null
}

/** Creates a user; attributes that are left out have no value. */
export const newStoredUser = (
  attributes: Pick<StoredUser, "id" | "email" | "name" | "role" | "source"> & Partial<StoredUser>,
  createdMs: number,
): StoredUser => ({
  given_name: null,
  family_name: null,
  display_name: null,
  nick_name: null,
  external_id: null,
  active: true,
  password_hash: null,
  created_ms: createdMs,
  updated_ms: createdMs,
  last_active_at: null,
  deleted_at: null,
  hidden: false,
  external_id_fixed: false,
  fixed_external_id: null,
  ...attributes,
})

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

const foldNullable = (text: string | null): string | null => (text === null ? null : foldCase(text))

/** Unique per account; a released address has the id appended. */
const emailKeyOf = ({ id, email, hidden }: StoredUser): string =>
  hidden ? `${foldCase(email)} ${id}` : foldCase(email)

export const toStoredUser = (row: Selectable<UserRow>): StoredUser => {
  const { email_key, name_key, ...rest } = row
  const { given_name_key, family_name_key, display_name_key, nick_name_key, ...user } = rest
  return {
    ...user,
    role: Role.parse(row.role),
    source: RecordSource.parse(row.source),
    active: row.active === 1,
    hidden: row.hidden === 1,
    external_id_fixed: row.external_id_fixed === 1,
  }
}

export const toUserRow = (user: StoredUser): Insertable<UserRow> => ({
  ...user,
  email_key: emailKeyOf(user),
  name_key: foldCase(user.name),
  given_name_key: foldNullable(user.given_name),
  family_name_key: foldNullable(user.family_name),
  display_name_key: foldNullable(user.display_name),
  nick_name_key: foldNullable(user.nick_name),
  active: user.active ? 1 : 0,
  hidden: user.hidden ? 1 : 0,
  external_id_fixed: user.external_id_fixed ? 1 : 0,
})

/** Removes the fields that only sign-in and provisioning may see. */
export const toPublicUser = (stored: StoredUser): User => {
  const { password_hash, created_ms, updated_ms, hidden, ...rest } = stored
  const { external_id_fixed, fixed_external_id, ...user } = rest
  const times = { created_at: toSeconds(created_ms), updated_at: toSeconds(updated_ms) }
  return { ...user, ...times, released: hidden }
}

export type EmailColumns = Pick<UserEmailRow, "value" | "type" | "display" | "is_primary">

export const toUserEmail = (row: EmailColumns): UserEmail => ({
  value: row.value,
  type: row.type,
  display: row.display,
  primary: row.is_primary === 1,
})

export const toEmailRows = (id: string, emails: readonly UserEmail[]): UserEmailRow[] =>
  emails.map(({ value, type, display, primary }, position) => ({
    user_id: id,
    position,
    value,
    value_key: foldCase(value),
    type,
    type_key: foldNullable(type),
    display,
    display_key: foldNullable(display),
    is_primary: primary ? 1 : 0,
  }))
