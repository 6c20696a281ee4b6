import { z } from "zod"
import { ListQuery, Page } from "../../http/pagination.ts"
import { FileReference } from "../../knowledge/schema.ts"
import { ChatAttachment } from "../answers/source-schema.ts"
import { FolderName, ModelId } from "../schema.ts"

const Instructions = z.string().max(20_000)
const Files = z.array(FileReference).max(50, "Attach at most 50 files and collections.")

/** A folder for chats, with what all of them have in common. */
export const Project = z
  .object({
    id: z.string(),
    /** What its chats have as `folder`. */
    name: z.string(),
    /** Precede the system prompt of every chat. */
    instructions: z.string(),
    /** The model of new chats. */
    model: z.string().nullable(),
    /** Sources for every answer in its chats. */
    files: z.array(ChatAttachment),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Project" })
export type Project = z.output<typeof Project>

export const NewProject = z
  .object({
    name: FolderName,
    instructions: Instructions.default(""),
    model: ModelId.nullable().default(null),
    files: Files.default([]),
  })
  .meta({ id: "NewProject" })
export type NewProject = z.output<typeof NewProject>

export const ProjectChanges = z
  .object({ name: FolderName, instructions: Instructions, model: ModelId.nullable(), files: Files })
  .partial()
  .meta({ id: "ProjectChanges" })
export type ProjectChanges = z.output<typeof ProjectChanges>

export const ProjectListQuery = ListQuery.extend({
  /** Without it, the response is an array of all projects, as clients of other gateways expect. */
  page: z.coerce.number<string>().int().min(1).optional(),
})
export type ProjectListQuery = z.output<typeof ProjectListQuery>

export const ProjectList = z.union([z.array(Project), Page(Project)])
export type ProjectList = z.output<typeof ProjectList>
