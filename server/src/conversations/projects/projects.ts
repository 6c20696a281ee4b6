import type { Audit, AuditRecord } from "../../audit/audit.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail } from "../../errors.ts"
import { requireOwn } from "../../grants/private-access.ts"
import type { Actor, Caller } from "../../http/caller.ts"
import { translatable } from "../../i18n/message.ts"
import type { Attachments } from "../../knowledge/citations/attachments.ts"
import type { ChatAttachment } from "../answers/source-schema.ts"
import type { Chat } from "../schema.ts"
import type { ProjectStore, StoredProject } from "./project-store.ts"
import type {
  NewProject,
  Project,
  ProjectChanges,
  ProjectList,
  ProjectListQuery,
} from "./schema.ts"

interface Deps {
  db: Database
  projectStore: ProjectStore
  attaching: Attachments
  rowLimits: RowLimits
  audit: Audit
  bus: Bus
  newId: () => string
  now: () => number
}

/** What a project adds to the prompts of its chats. */
export interface ProjectContext {
  instructions: string
  files: ChatAttachment[]
}

interface ProjectEvent extends Pick<AuditRecord, "action" | "changed" | "before"> {
  project: StoredProject
}

const emptyContext: ProjectContext = { instructions: "", files: [] }

const toPublic = ({ user_id, ...project }: StoredProject): Project => project

/** Manages a user's projects. A chat belongs to the project that its folder names. */
export const createProjects = (deps: Deps) => {
  const { db, projectStore: store, attaching, rowLimits, audit, bus, newId, now } = deps

  const getOwn = async (caller: Caller, id: string, tx?: Tx): Promise<StoredProject> =>
    requireOwn(await store.byId(id, tx), caller, `Project ${id} not found.`)

  const failNameTaken = (name: string): never =>
    fail("conflict", translatable("project_exists", { name }))

  const recordChange = async (
    tx: Tx,
    actor: Actor,
    { project, ...event }: ProjectEvent,
  ): Promise<void> => {
    await audit.record(tx, { actor, target: { type: "project", id: project.id }, ...event })
    await bus.publish(tx, { topic: "chats", user_id: project.user_id, id: null })
  }

  return {
    list: async (caller: Caller, query: ProjectListQuery): Promise<ProjectList> => {
      const { items, total } = await store.list(caller.user.id, query)
      const projects = items.map(toPublic)
      return query.page === undefined ? projects : { items: projects, total }
    },

    get: async (caller: Caller, id: string): Promise<Project> => toPublic(await getOwn(caller, id)),

    create: async (actor: Actor, caller: Caller, input: NewProject): Promise<Project> => {
      const files = await attaching.resolveNames(caller, input.files)
      const times = { created_at: now(), updated_at: now() }
      const owner = caller.user.id
      const project: StoredProject = { ...input, id: newId(), user_id: owner, files, ...times }
      await rowLimits.transactWithin("projects", { owner }, async (tx) => {
        if (!(await store.insert(tx, project))) failNameTaken(project.name)
        await recordChange(tx, actor, { project, action: "project.created" })
      })
      return toPublic(project)
    },

    update: async (
      actor: Actor,
      caller: Caller,
      { id, changes }: { id: string; changes: ProjectChanges },
    ): Promise<Project> => {
      const known = await getOwn(caller, id)
      const knownIds = new Set(known.files.map((file) => `${file.type} ${file.id}`))
      // Files that are attached already stay, even if the user may no longer read them.
      const added = changes.files?.filter((file) => !knownIds.has(`${file.type} ${file.id}`)) ?? []
      const named = [...known.files, ...(await attaching.resolveNames(caller, added))]
      const byKey = new Map(named.map((file) => [`${file.type} ${file.id}`, file]))
      const files = changes.files?.flatMap((file) => byKey.get(`${file.type} ${file.id}`) ?? [])
      const given = { ...changes, files }
      const set = Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined))
      return db.transactLocked([`project:${id}`], async (tx) => {
        const before = await getOwn(caller, id, tx)
        const after: StoredProject = { ...before, ...set, updated_at: now() }
        if (!(await store.update(tx, before, after))) failNameTaken(after.name)
        const changed = Object.keys(set)
        await recordChange(tx, actor, { project: after, action: "project.updated", changed })
        return toPublic(after)
      })
    },

    /** Deletes the project but not its chats. */
    remove: (actor: Actor, caller: Caller, id: string): Promise<void> =>
      db.essential.transactLocked([`project:${id}`], async (tx) => {
        const project = await getOwn(caller, id, tx)
        await store.remove(tx, project)
        const before = { name: project.name }
        await recordChange(tx, actor, { project, action: "project.deleted", before })
      }),

    /** The models of a new chat in the folder: the project's model, if it has one. */
    defaultModels: async (userId: string, folder: string | null): Promise<string[]> => {
      const project = folder === null ? undefined : await store.byName(userId, folder)
      return project?.model ? [project.model] : []
    },

    /** Without the files that the caller may no longer read. */
    contextOf: async (
      caller: Caller,
      { user_id, folder }: Pick<Chat, "user_id" | "folder">,
    ): Promise<ProjectContext> => {
      const project = folder === null ? undefined : await store.byName(user_id, folder)
      if (!project) return emptyContext
      const idsOf = (type: ChatAttachment["type"]): string[] =>
        project.files.filter((file) => file.type === type).map(({ id }) => id)
      const readable = await attaching.readableAmong(caller, {
        files: idsOf("file"),
        collections: idsOf("collection"),
      })
      const isReadable = ({ type, id }: ChatAttachment): boolean =>
        (type === "file" ? readable.files : readable.collections).has(id)
      return { instructions: project.instructions, files: project.files.filter(isReadable) }
    },
  }
}

export type Projects = ReturnType<typeof createProjects>
