import type { Insertable } from "kysely"
import type { Database } from "../../src/db/database.ts"
import type { GroupMemberRow, UserEmailRow, UserRow } from "../../src/db/tables.ts"
import { toEmailRows, toUserRow } from "../../src/users/user-rows.ts"

/** SQLite allows at most 32,766 bound values per statement. */
const rowsPerStatement = 500

export interface Sizes {
  users: number
  groups: number
  largeGroup: number
}

export const userId = (index: number): string =>
  `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`
export const groupId = (index: number): string =>
  `01900000-0000-7000-9000-${String(index).padStart(12, "0")}`

const userRow = (index: number): Insertable<UserRow> =>
  toUserRow({
    id: userId(index),
    email: `user${index}@bench.example`,
    name: `Given${index} Family${index % 997}`,
    given_name: `Given${index}`,
    family_name: `Family${index % 997}`,
    display_name: null,
    nick_name: null,
    external_id: `external-${index}`,
    role: "user",
    active: true,
    source: "scim",
    password_hash: null,
    created_ms: 1_700_000_000_000 + index,
    updated_ms: 1_700_000_000_000 + index,
    last_active_at: null,
    deleted_at: null,
    hidden: false,
    external_id_fixed: false,
    fixed_external_id: null,
  })

const emailRows = (index: number): UserEmailRow[] =>
  toEmailRows(userId(index), [
    { value: `user${index}@bench.example`, type: "work", display: null, primary: true },
  ])

const chunked = async <T>(
  items: readonly T[],
  write: (chunk: readonly T[]) => Promise<unknown>,
): Promise<void> => {
  for (let at = 0; at < items.length; at += rowsPerStatement) {
    await write(items.slice(at, at + rowsPerStatement))
  }
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

/** Fills an empty database; the first group has `largeGroup` members. */
export const seed = (db: Database, { users, groups, largeGroup }: Sizes): Promise<void> =>
  db.transact(async (tx) => {
    await chunked(range(users), async (chunk) => {
      await tx.insertInto("users").values(chunk.map(userRow)).execute()
      await tx.insertInto("user_emails").values(chunk.flatMap(emailRows)).execute()
    })
    await chunked(range(groups), (chunk) =>
      tx
        .insertInto("groups")
        .values(
          chunk.map((index) => ({
            id: groupId(index),
            name: `Group ${index}`,
            name_key: `group ${index}`,
            description: "",
            external_id: `group-${index}`,
            source: "scim",
            created_ms: 1_700_000_000_000,
            updated_ms: 1_700_000_000_000,
          })),
        )
        .execute(),
    )
    const members: Insertable<GroupMemberRow>[] = [
      ...range(largeGroup).map((index) => ({ group_id: groupId(0), user_id: userId(index) })),
      ...range(users).map((index) => ({
        group_id: groupId(1 + (index % (groups - 1))),
        user_id: userId(index),
      })),
    ]
    await chunked(members, (chunk) =>
      tx
        .insertInto("group_members")
        .values([...chunk])
        .execute(),
    )
  })
