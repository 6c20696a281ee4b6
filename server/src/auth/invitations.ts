import { hash, randomBytes } from "node:crypto"
import type { Audit } from "../audit/audit.ts"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import type { Groups } from "../groups/groups.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { ListQuery, Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import type { Settings } from "../settings/schema.ts"
import type { User } from "../users/schema.ts"
import type { Users } from "../users/users.ts"
import type { Accounts } from "./accounts.ts"
import type {
  AcceptInvitation,
  CreatedInvitation,
  Invitation,
  InvitationState,
  NewInvitation,
  OpenedInvitation,
} from "./invitation-schema.ts"
import { createInvitationStore, type StoredInvitation } from "./invitation-store.ts"
import type { SignedIn } from "./schema.ts"
import type { SignInDevice } from "./sign-in-device.ts"
import type { SignInThrottle } from "./throttle.ts"

const tokenBytes = 24
/** Target of failed attempts, as an invalid token belongs to no account. */
const throttleTarget = "(invitation)"

interface Deps {
  db: Database
  audit: Audit
  failures: FailedAttemptRecorder
  users: Users
  groups: Groups
  accounts: Pick<Accounts, "createSession" | "signSession">
  throttle: SignInThrottle
  passwordSignIn: () => Settings["password_sign_in"]
  newId: () => string
  now: () => number
  isClockTrusted: () => boolean
}

const digestOf = (token: string): string => hash("sha256", token)

const target = (id: string) => ({ type: "invitation", id })

const reasons: Record<Exclude<InvitationState, "open">, string> = {
  accepted: "This invitation was already used. Sign in, or ask for a new one.",
  revoked: "This invitation was revoked. Ask for a new one.",
  expired: "This invitation has expired. Ask for a new one.",
  void: "This invitation is no longer valid. Ask for a new one.",
}

const failNotOpen = (state: InvitationState): never =>
  fail("conflict", reasons[state === "open" ? "accepted" : state])

/** Links with which people create their own account, even while sign-up is turned off. */
export const createInvitations = (deps: Deps) => {
  const { db, audit, failures, users, groups, accounts, throttle, newId, now } = deps
  const store = createInvitationStore(db)

  const stateOf = (row: StoredInvitation): InvitationState => {
    if (row.accepted_at !== null) return "accepted"
    if (row.revoked_at !== null) return "revoked"
    if (row.expires_at <= now()) return "expired"
    const isAdmin = row.creator_role === "admin" && row.creator_active === 1
    return isAdmin ? "open" : "void"
  }

  const groupIdsOf = ({ group_ids }: StoredInvitation): string[] => JSON.parse(group_ids)

  const toInvitation = async (row: StoredInvitation): Promise<Invitation> => ({
    id: row.id,
    email: row.email,
    role: row.role === "admin" ? "admin" : "user",
    groups: await groups.listNames(groupIdsOf(row)),
    created_by: row.creator_name,
    created_at: row.created_at,
    expires_at: row.expires_at,
    state: stateOf(row),
    account:
      row.accepted_by === null ? null : { id: row.accepted_by, email: row.account_email ?? "" },
  })

  const requirePasswordSignIn = (role: string): void => {
    const policy = deps.passwordSignIn()
    if (policy === "on" || (policy === "administrators" && role === "admin")) return
    fail("password_sign_in_off", translatable("invitation_needs_password_sign_in"))
  }

  /** @throws {Failure} `not_found`, or `rate_limited` after too many unknown tokens */
  const findByToken = async (token: string, device: SignInDevice): Promise<StoredInvitation> => {
    let found: StoredInvitation | undefined
    const attempt = { account: throttleTarget, address: device.address }
    const isKnown = await throttle.attempt(attempt, async () => {
      found = await store.byHash(digestOf(token))
      return found !== undefined
    })
    if (isKnown && found) return found
    const failure = { target: { type: "account", id: throttleTarget }, status: 404 }
    await failures.record({ actor: device.actor, action: "auth.failed", ...failure })
    return fail("not_found", translatable("invitation_invalid"))
  }

  /** Of several concurrent calls for one invitation, one succeeds. */
  const claim = async (tx: Tx, id: string): Promise<void> => {
    const isClaimed = await store.settle(tx, id, { accepted_at: now() })
    const row = await store.byId(id, tx)
    // Its creator may have lost the role since the link was opened.
    const state = row ? stateOf({ ...row, accepted_at: null }) : "revoked"
    if (!isClaimed || state !== "open") failNotOpen(state)
  }

  const joinGroups = async (tx: Tx, actor: Actor, user: User, ids: string[]): Promise<void> => {
    // Groups may have been deleted, or handed to the identity provider, since the invitation.
    const join = await groups.localAmong(tx, ids)
    if (join.length > 0) await groups.changeMembershipsOf(tx, actor, user.id, { join, leave: [] })
  }

  return {
    list: async (query: Pick<ListQuery, "page" | "page_size">): Promise<Page<Invitation>> => {
      const { items, total } = await store.list(query)
      return { items: await Promise.all(items.map(toInvitation)), total }
    },

    /** @throws {Failure} `not_found` for an unknown group, `conflict` for a provisioned one */
    create: async (
      actor: Actor,
      caller: Caller,
      { email, role, group_ids, expires_in }: NewInvitation,
    ): Promise<CreatedInvitation> => {
      requirePasswordSignIn(role)
      const token = randomBytes(tokenBytes).toString("base64url")
      const id = newId()
      const ids = [...new Set(group_ids)]
      await db.transact(async (tx) => {
        await users.requireAdmin(caller)(tx)
        await groups.requireLocalGroups(tx, ids)
        const times = { created_at: now(), expires_at: now() + expires_in }
        if (deps.isClockTrusted()) await store.dropExpired(tx, times.created_at)
        await store.insert(tx, {
          ...{ id, hash: digestOf(token), email, role, group_ids: JSON.stringify(ids) },
          ...{ created_by: caller.user.id, ...times },
          ...{ revoked_at: null, accepted_at: null, accepted_by: null },
        })
        const after = { email, role, groups: ids, expires_at: times.expires_at }
        await audit.record(tx, { actor, action: "invitation.created", target: target(id), after })
      })
      const row = (await store.byId(id)) ?? fail("not_found", translatable("invitation_deleted"))
      return { ...(await toInvitation(row)), token }
    },

    /** @throws {Failure} `not_found`, or `conflict` if it is no longer open */
    revoke: (actor: Actor, caller: Caller, id: string): Promise<void> =>
      db.essential.transact(async (tx) => {
        await users.requireAdmin(caller)(tx)
        const row =
          (await store.byId(id, tx)) ?? fail("not_found", `No invitation with the ID ${id}.`)
        if (!(await store.settle(tx, id, { revoked_at: now() }))) failNotOpen(stateOf(row))
        await audit.record(tx, { actor, action: "invitation.revoked", target: target(id) })
      }),

    /** What the page shows to whoever follows a link. */
    open: async (token: string, device: SignInDevice): Promise<OpenedInvitation> => {
      const row = await findByToken(token, device)
      const state = stateOf(row)
      return { state, email: state === "open" ? row.email : null, expires_at: row.expires_at }
    },

    /** Creates the account and signs it in. @throws {Failure} `conflict` if it is no longer open */
    accept: async (
      { token, name, email, password }: AcceptInvitation,
      device: SignInDevice,
    ): Promise<SignedIn> => {
      const row = await findByToken(token, device)
      const state = stateOf(row)
      if (state !== "open") failNotOpen(state)
      requirePasswordSignIn(row.role)
      const address = row.email ?? email
      if (address === undefined) return failInvalid("email", translatable("email_required"))
      const role = row.role === "admin" ? "admin" : "user"
      const input = { name, email: address, password, role, source: "local" } as const
      const prepared = await users.prepareUser(device.actor, input)
      const { user, session } = await db.transact(async (tx) => {
        await claim(tx, row.id)
        const created = await users.insertPrepared(tx, device.actor, prepared)
        const actor: Actor = { ...device.actor, type: "user", id: created.id }
        await store.setAccount(tx, row.id, created.id)
        await joinGroups(tx, actor, created, groupIdsOf(row))
        await audit.record(tx, { actor, action: "invitation.accepted", target: target(row.id) })
        return { user: created, session: await accounts.createSession(tx, created, device) }
      })
      return accounts.signSession(user, session)
    },
  }
}

export type Invitations = ReturnType<typeof createInvitations>
