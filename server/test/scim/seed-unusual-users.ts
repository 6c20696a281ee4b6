import type { Database } from "../../src/db/database.ts"
import { foldCase } from "../../src/db/fold-case.ts"
import { toEmailRows, toUserRow } from "../../src/users/user-rows.ts"

interface Chooser {
  below(limit: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

/** Inserts users with unusual or missing names, and some groups. */
export const seedUnusualUsers = (
  db: Database,
  { below, pick }: Chooser,
  texts: readonly [string, ...string[]],
): Promise<void> =>
  db.transact(async (tx) => {
    const unusualText = (): string | null => (below(3) === 0 ? null : pick(texts) || null)
    for (let index = 0; index < 60; index++) {
      const id = `user-${String(index).padStart(3, "0")}`
      const user = toUserRow({
        id,
        email: `${pick(["a", "ann", "B", "z"])}${index}@example.org`,
        name: `User ${index}`,
        given_name: unusualText(),
        family_name: unusualText(),
        display_name: unusualText(),
        nick_name: unusualText(),
        external_id: unusualText(),
        role: "user",
        active: below(2) === 0,
        source: "scim",
        password_hash: null,
        created_ms: 1_700_000_000_000 + below(8) * 250,
        updated_ms: 1_700_000_000_000,
        last_active_at: null,
        deleted_at: null,
        hidden: false,
        external_id_fixed: false,
        fixed_external_id: null,
      })
      await tx.insertInto("users").values(user).execute()
      const emails = Array.from({ length: below(3) }, (_, at) => ({
        value: pick(texts) || "none",
        type: below(2) === 0 ? null : pick(["work", "home", "WORK"]),
        display: unusualText(),
        primary: at === 0 && below(2) === 0,
      }))
      if (emails.length > 0) {
        await tx.insertInto("user_emails").values(toEmailRows(id, emails)).execute()
      }
    }
    for (const name of ["a", "ANN", "ß"]) {
      const times = { created_ms: 1, updated_ms: 1 }
      const row = { id: `group-${name}`, name, name_key: foldCase(name), description: "" }
      await tx
        .insertInto("groups")
        .values({ ...row, external_id: null, source: "scim", ...times })
        .execute()
    }
    for (let index = 0; index < 60; index += 2) {
      const group_id = pick(["group-a", "group-ANN", "group-ß"])
      const user_id = `user-${String(index).padStart(3, "0")}`
      await tx.insertInto("group_members").values({ group_id, user_id }).execute()
    }
  })
