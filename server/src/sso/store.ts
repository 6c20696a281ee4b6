import type { Database, Reader, Tx } from "../db/database.ts"
import type { IdentityRow, SignOnSessionRow } from "../db/sign-on-tables.ts"

interface MembershipKey {
  issuer: string
  userId: string
}

export const createSignOnStore = (db: Database, isClockTrusted: () => boolean) => ({
  /** Marks a single-use value as used. @returns false if it was already used */
  consumeOnce: async (
    tx: Tx,
    id: string,
    times: { now: number; expires: number },
  ): Promise<boolean> => {
    if (isClockTrusted())
      await tx.deleteFrom("sign_on_spent").where("expires_at", "<", times.now).execute()
    const spent = await tx
      .insertInto("sign_on_spent")
      .values({ id, expires_at: times.expires })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst()
    return spent !== undefined
  },

  bySubject: (
    { issuer, subject }: Pick<IdentityRow, "issuer" | "subject">,
    reader: Reader = db.read,
  ): Promise<IdentityRow | undefined> =>
    reader
      .selectFrom("identities")
      .selectAll()
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst(),

  identitiesOf: (userId: string, reader: Reader = db.read): Promise<IdentityRow[]> =>
    reader
      .selectFrom("identities")
      .selectAll()
      .where("user_id", "=", userId)
      .orderBy("id")
      .execute(),

  insertIdentity: async (tx: Tx, identity: IdentityRow): Promise<void> => {
    await tx.insertInto("identities").values(identity).execute()
  },

  updateIdentity: async (tx: Tx, { id, ...identity }: IdentityRow): Promise<void> => {
    await tx.updateTable("identities").set(identity).where("id", "=", id).execute()
  },

  removeIdentity: async (tx: Tx, userId: string, id: string): Promise<void> => {
    await tx.deleteFrom("identities").where("user_id", "=", userId).where("id", "=", id).execute()
  },

  /** The number of linked accounts per issuer, and the last use. */
  summary: async () => {
    const rows = await db.read
      .selectFrom("identities")
      .select("issuer")
      .select(({ fn }) => [
        fn.count<number>("user_id").distinct().as("accounts"),
        fn.max("last_used_at").as("last_used_at"),
      ])
      .groupBy("issuer")
      .execute()
    return new Map(rows.map(({ issuer, ...rest }) => [issuer, rest]))
  },

  insertSession: async (tx: Tx, session: SignOnSessionRow): Promise<void> => {
    await tx.insertInto("sign_on_sessions").values(session).execute()
  },

  /** Data required to sign out at the provider. */
  sessionById: (id: string) =>
    db.read
      .selectFrom("sign_on_sessions")
      .innerJoin("identities", "identities.id", "sign_on_sessions.identity_id")
      .select(["sealed_id_token", "issuer", "provider"])
      .where("session_id", "=", id)
      .executeTakeFirst(),

  /** Ends the sessions started with an identity, except `except`. */
  endSessionsOf: async (tx: Tx, identityId: string, except: string | null): Promise<void> => {
    let ids = tx
      .selectFrom("sign_on_sessions")
      .select("session_id")
      .where("identity_id", "=", identityId)
    if (except !== null) ids = ids.where("session_id", "!=", except)
    await tx.deleteFrom("sessions").where("id", "in", ids).execute()
  },

  /** Sessions that a provider's logout token refers to: one by its `sid`, or all of a subject. */
  sessionsForLogout: (
    tx: Tx,
    { issuer, subject, sid }: { issuer: string; subject: string | null; sid: string | null },
  ): Promise<{ session_id: string; user_id: string }[]> => {
    let matching = tx
      .selectFrom("sign_on_sessions")
      .innerJoin("identities", "identities.id", "sign_on_sessions.identity_id")
      .innerJoin("sessions", "sessions.id", "sign_on_sessions.session_id")
      .select(["session_id", "sessions.user_id"])
      .where("issuer", "=", issuer)
    if (subject !== null) matching = matching.where("subject", "=", subject)
    if (sid !== null) matching = matching.where("sid", "=", sid)
    return matching.orderBy("session_id").execute()
  },

  endSession: async (tx: Tx, id: string): Promise<void> => {
    await tx.deleteFrom("sessions").where("id", "=", id).execute()
  },

  /** Groups that this issuer's claims added the account to. */
  membershipsOf: async (tx: Tx, { issuer, userId }: MembershipKey): Promise<string[]> => {
    const rows = await tx
      .selectFrom("sign_on_members")
      .select("group_id")
      .where("issuer", "=", issuer)
      .where("user_id", "=", userId)
      .execute()
    return rows.map(({ group_id }) => group_id)
  },

  addMemberships: async (
    tx: Tx,
    { issuer, userId }: MembershipKey,
    groupIds: readonly string[],
  ): Promise<void> => {
    if (groupIds.length === 0) return
    await tx
      .insertInto("sign_on_members")
      .values(groupIds.map((group_id) => ({ issuer, group_id, user_id: userId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  /** @returns those of `groupIds` that no other issuer's claim keeps the account in */
  dropMemberships: async (
    tx: Tx,
    { issuer, userId }: MembershipKey,
    groupIds: readonly string[],
  ): Promise<string[]> => {
    if (groupIds.length === 0) return []
    await tx
      .deleteFrom("sign_on_members")
      .where("issuer", "=", issuer)
      .where("user_id", "=", userId)
      .where("group_id", "in", groupIds)
      .execute()
    const remaining = await tx
      .selectFrom("sign_on_members")
      .select("group_id")
      .where("user_id", "=", userId)
      .where("group_id", "in", groupIds)
      .execute()
    return groupIds.filter((id) => !remaining.some(({ group_id }) => group_id === id))
  },
})

export type SignOnStore = ReturnType<typeof createSignOnStore>
