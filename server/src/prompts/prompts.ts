import type { Audit, AuditRecord } from "../audit/audit.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import { fail } from "../errors.ts"
import { mayWrite, requireOwner, requireReadable, requireWritable } from "../grants/access.ts"
import type { Grants } from "../grants/grants.ts"
import { omitResentGrants } from "../grants/omit-unchanged-grants.ts"
import type { Actor, Caller, RefreshCaller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { withOwnerName } from "../users/owner-names.ts"
import { accessMessages, failPromptNotFound } from "./failures.ts"
import type {
  NewPrompt,
  Prompt,
  PromptChanges,
  PromptListItem,
  PromptListQuery,
  PromptWithAccess,
} from "./schema.ts"
import { createPromptStore, promptBytes } from "./store.ts"

interface Deps {
  db: Database
  grants: Grants
  rowLimits: RowLimits
  storage: StorageQuota
  audit: Audit
  newId: () => string
  now: () => number
  refreshCaller: RefreshCaller
}

interface EditRequest {
  actor: Actor
  caller: Caller
  id: string
}

/** One edit within its transaction, with the prompt and the caller as read by `tx`. */
interface Edit {
  tx: Tx
  caller: Caller
  before: Prompt
}

/** Length of a response that is not paginated. */
const maxUnpagedPrompts = 200

const onlyOwnerShares =
  "Only the owner of this prompt and administrators can change access_grants. Omit the field."
const onlyOwnerDeletes = "Only the owner of this prompt and administrators can delete it."

const failCommandTaken = (command: string): never => {
  const message = `Another prompt already has the command /${command}. Choose another one.`
  return fail("conflict", message, { errors: [{ path: "command", message }] })
}

/** The prompt library: texts that users insert in the composer and share. */
export const createPrompts = (deps: Deps) => {
  const { db, rowLimits, storage, audit, newId, now, refreshCaller } = deps
  const store = createPromptStore(deps)

  const withAccess = async (prompt: Prompt, caller: Caller): Promise<PromptWithAccess> => ({
    ...(await withOwnerName(db.read, prompt)),
    writable: mayWrite(prompt, caller),
  })

  /**
   * @param work writes the change; returns its audit event
   * @throws {Failure} `not_found` if the account that owned the prompt was deleted meanwhile
   */
  const edit = (
    { actor, caller, id }: EditRequest,
    work: (edit: Edit) => Promise<Omit<AuditRecord, "actor" | "target">>,
    writes: EssentialWrites = db,
  ): Promise<Prompt | undefined> =>
    writes.transactLocked([`prompt:${id}`], async (tx) => {
      const refreshedCaller = await refreshCaller(tx, caller)
      const before = requireWritable(await store.byId(id, tx), refreshedCaller, accessMessages)
      const event = await work({ tx, caller: refreshedCaller, before })
      await audit.record(tx, { ...event, actor, target: { type: "prompt", id } })
      const after = await store.byId(id, tx)
      return after || event.action === "prompt.deleted" ? after : failPromptNotFound()
    })

  return {
    /** A page, or the first prompts if the query names no page. */
    list: async (
      caller: Caller,
      query: PromptListQuery,
    ): Promise<Page<PromptListItem> | PromptListItem[]> => {
      const { page, page_size } = query
      if (page !== undefined) return store.list(caller, query, { page, page_size })
      return (await store.list(caller, query, { page: 1, page_size: maxUnpagedPrompts })).items
    },

    get: async (caller: Caller, id: string): Promise<PromptWithAccess> =>
      withAccess(requireReadable(await store.byId(id), caller, accessMessages), caller),

    create: async (actor: Actor, caller: Caller, input: NewPrompt): Promise<PromptWithAccess> => {
      const owner = caller.user.id
      const times = { created_at: now(), updated_at: now() }
      const prompt: Prompt = { ...input, id: newId(), user_id: owner, ...times }
      const { id, access_grants } = prompt
      await storage.writeWithinLimit([{ owner, bytes: promptBytes(prompt) }], () =>
        rowLimits.transactWithin("prompts", { owner }, async (tx) => {
          if (!(await store.insert(tx, prompt))) failCommandTaken(prompt.command)
          const change = { actor, action: "prompt.created", target: { type: "prompt", id } }
          await audit.record(tx, { ...change, after: { access_grants } })
        }),
      )
      return withAccess(prompt, caller)
    },

    update: async (
      actor: Actor,
      caller: Caller,
      { id, changes: requested }: { id: string; changes: PromptChanges },
    ): Promise<PromptWithAccess> => {
      const known = requireWritable(await store.byId(id), caller, accessMessages)
      const { title = known.title, content = known.content } = requested
      const bytes = promptBytes({ title, content }) - promptBytes(known)
      const addition = { owner: known.user_id, addedBy: caller.user.id, bytes }
      const update = () =>
        edit({ actor, caller, id }, async ({ tx, caller: refreshedCaller, before }) => {
          const set = omitResentGrants(before, requested)
          const { access_grants } = set
          if (access_grants) requireOwner(before, refreshedCaller, onlyOwnerShares)
          if (!(await store.update(tx, id, { ...set, updated_at: now() })))
            failCommandTaken(set.command ?? before.command)
          return {
            action: "prompt.updated",
            changed: Object.keys(set),
            ...(access_grants && {
              before: { access_grants: before.access_grants },
              after: { access_grants },
            }),
          }
        })
      const updated = await storage.writeWithinLimit([addition], update)
      return withAccess(updated ?? failPromptNotFound(), caller)
    },

    remove: async (actor: Actor, caller: Caller, id: string): Promise<void> => {
      const remove = async ({ tx, caller: refreshedCaller, before }: Edit) => {
        requireOwner(before, refreshedCaller, onlyOwnerDeletes)
        await store.remove(tx, id)
        return { action: "prompt.deleted", before: { title: before.title } }
      }
      await edit({ actor, caller, id }, remove, db.essential)
    },
  }
}

export type Prompts = ReturnType<typeof createPrompts>
