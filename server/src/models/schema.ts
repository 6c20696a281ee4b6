import { z } from "zod"
import { AccessGrants } from "../grants/schema.ts"
import { withMessage } from "../http/issue-messages.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { CodexModel } from "./codex-schema.ts"
import { QueryRewritingMode } from "./query-rewriting-mode.ts"

const ModelId = z
  .string()
  .min(1, withMessage(translatable("model_id_required")))
  .max(300)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
  .regex(/^[^\s\u0000-\u001f\u007f]+$/, withMessage(translatable("model_id_has_spaces")))

/** In nano-dollars per token, request, and hour that the model takes to answer. */
export const ModelPrice = z.object({
  input: z.number().optional(),
  cached_input: z.number().optional(),
  output: z.number().optional(),
  request: z.number().optional(),
  gpu_hour: z.number().optional(),
})
export type ModelPrice = z.output<typeof ModelPrice>

/** One entry of `GET /api/models`: OpenAI's fields, and those that help people choose. */
export const ModelRecord = z
  .looseObject({
    id: z.string(),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    description: z.string(),
    connection_type: z.enum(["local", "external", "function"]),
    tags: z.array(z.string()),
    capabilities: z.record(z.string(), z.boolean()),
    context_length: z.int().optional(),
    /** Maximum number of output tokens. */
    max_output: z.int().optional(),
    /** The first day on which the provider may refuse the model. */
    end_of_life: z.string().optional(),
    /** The provider's name of the model that it recommends instead. */
    successor: z.string().optional(),
    /** What it costs now on the connection that is tried first; left out if that is unknown. */
    price: ModelPrice.optional(),
    base_model_id: z.string().optional(),
    /** Suggested first messages of a workspace model. */
    starters: z.array(z.string()).optional(),
    /** The connections that offer it, in the order in which they are tried. */
    connections: z.array(z.object({ id: z.string(), name: z.string() })),
    is_active: z.boolean(),
    available: z.boolean(),
  })
  .meta({ id: "Model" })
export type ModelRecord = z.output<typeof ModelRecord>

export const ModelList = z
  .object({
    object: z.literal("list"),
    data: z.array(ModelRecord),
    /** The models as Codex expects them; only with the parameter `client_version`. */
    models: z.array(CodexModel).optional(),
  })
  .meta({ id: "ModelList" })
export type ModelList = z.output<typeof ModelList>

const summaryMeta = {
  description: z.string().max(10_000).default(""),
  tags: z.array(z.string().min(1).max(100)).max(50).default([]),
  /** Suggested first messages, which the start page shows. */
  starters: z.array(z.string().trim().min(1, "Enter a text").max(200)).max(4).default([]),
  /** Whether lists in Anthropic's format name it `claude-<id>`, whatever the setting. */
  claude_alias: z.boolean().default(false),
}
const Meta = z.looseObject({
  ...summaryMeta,
  /** Whether questions to it are rewritten before files are searched; `automatic` by default. */
  query_rewriting: QueryRewritingMode.optional(),
})

/** Defaults for requests; `system` is prepended to every conversation as a system prompt. */
const Params = z.looseObject({ system: z.string().max(200_000).optional() })

const fields = {
  name: z
    .string()
    .trim()
    .min(1, withMessage(translatable("name_required")))
    .max(200),
  base_model_id: ModelId,
  meta: Meta,
  params: Params,
  access_grants: AccessGrants,
  is_active: z.boolean(),
}

export const WorkspaceModel = z
  .object({
    id: ModelId,
    ...fields,
    user_id: z.string(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "WorkspaceModel" })
export type WorkspaceModel = z.output<typeof WorkspaceModel>

/** A model without `params`, and with only the part of `meta` that lists show. */
export const ModelSummary = WorkspaceModel.omit({ params: true })
  .extend({ meta: z.object(summaryMeta) })
  .meta({ id: "ModelSummary" })
export type ModelSummary = z.output<typeof ModelSummary>

/** Null if the owner's account was deleted. */
const owner = { user_name: z.string().nullable() }

export const ModelWithOwner = WorkspaceModel.extend(owner).meta({ id: "ModelWithOwner" })
export type ModelWithOwner = z.output<typeof ModelWithOwner>

export const ModelListItem = ModelSummary.extend({
  ...owner,
  /** Total number of grants; `access_grants` has the first 20 of them, those to everyone first. */
  grant_count: z.int(),
  /** Whether the caller may change it. */
  writable: z.boolean(),
}).meta({ id: "ModelListItem" })
export type ModelListItem = z.output<typeof ModelListItem>

export const ModelListQuery = ListQuery.extend({
  order_by: z.enum(["name", "created_at", "updated_at"]).default("name"),
})
export type ModelListQuery = z.output<typeof ModelListQuery>

export const NewModel = z
  .object({
    id: ModelId,
    ...fields,
    meta: Meta.default({ description: "", tags: [], starters: [], claude_alias: false }),
    params: Params.default({}),
    access_grants: AccessGrants.default([]),
    is_active: z.boolean().default(true),
  })
  .meta({ id: "NewModel" })
export type NewModel = z.output<typeof NewModel>

export const ModelChanges = z.object(fields).partial().meta({ id: "ModelChanges" })
export type ModelChanges = z.output<typeof ModelChanges>

export const ModelImport = z
  .object({ models: z.array(NewModel).min(1).max(1000) })
  .meta({ id: "ModelImport" })

/** The import format, with owners and timestamps. */
export const ModelExport = z.object({ models: z.array(WorkspaceModel) }).meta({ id: "ModelExport" })

export const ModelImportResult = z
  .object({ created: z.array(z.string()), updated: z.array(z.string()) })
  .meta({ id: "ModelImported" })
