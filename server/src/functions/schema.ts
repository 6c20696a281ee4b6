import { z } from "zod"
import { AccessGrants } from "../grants/schema.ts"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"

export const maxContent = 256 * 1024

const FunctionId = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, withMessage(translatable("function_id_invalid")))

const Text = z.string().max(2000)

/** The definition of one setting, from the module's `settings` export. */
export const SettingDefinition = z
  .object({
    type: z.enum(["text", "secret", "number", "boolean", "choice"]).default("text"),
    label: z.string().max(200).optional(),
    description: Text.optional(),
    required: z.boolean().default(false),
    default: z.union([z.string().max(20_000), z.number(), z.boolean()]).optional(),
    choices: z.array(z.string().max(200)).max(100).optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    multiline: z.boolean().optional(),
  })
  .meta({ id: "FunctionSetting" })
export type SettingDefinition = z.output<typeof SettingDefinition>

const SettingName = z
  .string()
  .max(64)
  .regex(
    /^[A-Za-z][A-Za-z0-9_]*$/,
    "must start with a letter and contain only letters, digits and _",
  )

const Settings = z.record(SettingName, SettingDefinition)

/** What a module's exports declare. */
export const Manifest = z.object({
  name: z.string().max(200).nullable(),
  description: Text,
  /**
   * Empty if the function is not a model. `id` is empty for a single model that takes the
   * function's id.
   */
  models: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
  /** Null if the function is not a filter. */
  filter: z
    .object({ before: z.boolean(), after: z.boolean(), chunk: z.boolean() })
    .nullable()
    .meta({ id: "FunctionFilter" }),
  settings: Settings,
})
export type Manifest = z.output<typeof Manifest>

const host = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/
const Host = z
  .string()
  .max(260)
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.string().regex(host, withMessage(translatable("function_host_invalid"))))

const fields = {
  name: z
    .string()
    .trim()
    .min(1, withMessage(translatable("name_required")))
    .max(200),
  content: z
    .string()
    .min(1, withMessage(translatable("function_source_required")))
    .max(maxContent),
  meta: z.looseObject({
    description: z.string().max(10_000).default(""),
    tags: z.array(z.string().min(1).max(100)).max(50).default([]),
  }),
  /** Hosts that the function's `fetch` may reach; empty means none. */
  hosts: z.array(Host).max(100),
  /** Ids of the models that the filter applies to, or `*` for all. */
  filter_models: z.array(z.string().min(1).max(300)).max(1000),
  /** Filters with lower numbers see requests first and responses last. */
  filter_order: z.int().min(-1000).max(1000),
  access_grants: AccessGrants,
  is_active: z.boolean(),
}

const { content, ...listedFields } = fields

/** A function without its source. */
export const FunctionSummary = z
  .object({
    id: FunctionId,
    ...listedFields,
    ...Manifest.pick({ models: true, filter: true, settings: true }).shape,
    hosts: z.array(z.string()),
    user_id: z.string(),
    /** Incremented with every change of the source. */
    version: z.int(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "FunctionSummary" })
export type FunctionSummary = z.output<typeof FunctionSummary>

export const FunctionRecord = FunctionSummary.extend({ content: z.string() }).meta({
  id: "Function",
})
export type FunctionRecord = z.output<typeof FunctionRecord>

export const NewFunction = z
  .object({
    id: FunctionId,
    ...fields,
    meta: fields.meta.default({ description: "", tags: [] }),
    hosts: fields.hosts.default([]),
    filter_models: fields.filter_models.default([]),
    filter_order: fields.filter_order.default(0),
    access_grants: AccessGrants.default([]),
    is_active: z.boolean().default(true),
  })
  .meta({ id: "NewFunction" })
export type NewFunction = z.output<typeof NewFunction>

export const FunctionChanges = z
  .object(fields)
  .partial()
  .extend({
    /** The version that the change is based on; 409 if it is not the latest. */
    version: z.int().optional(),
  })
  .meta({ id: "FunctionChanges" })
export type FunctionChanges = z.output<typeof FunctionChanges>

const Value = z.union([z.string(), z.number(), z.boolean()]).nullable()

/** Replaces the value of a secret in responses. */
export const secretMask = "********"

export const FunctionValves = z
  .object({ settings: Settings, values: z.record(z.string(), Value) })
  .meta({ id: "FunctionValves" })
export type FunctionValves = z.output<typeof FunctionValves>

/** Omitted settings and secrets sent as their mask are kept; null restores the default. */
export const ValveChanges = z
  .object({ values: z.record(z.string().max(64), Value) })
  .meta({ id: "FunctionValveChanges" })
export type ValveChanges = z.output<typeof ValveChanges>

export const FunctionVersion = z
  .object({
    version: z.int(),
    name: z.string(),
    user_id: z.string(),
    /** The version that this one restored, if any. */
    restored_from: z.int().nullable(),
    created_at: z.int(),
  })
  .meta({ id: "FunctionVersion" })
export type FunctionVersion = z.output<typeof FunctionVersion>

export const FunctionVersionSource = FunctionVersion.extend({ content: z.string() }).meta({
  id: "FunctionVersionSource",
})
export type FunctionVersionSource = z.output<typeof FunctionVersionSource>

/** An error in a source. Lines and columns count from 1; null if unknown. */
export const SourceProblem = z
  .object({ message: z.string(), line: z.int().nullable(), column: z.int().nullable() })
  .meta({ id: "FunctionProblem" })
export type SourceProblem = z.output<typeof SourceProblem>

export const CheckedSource = z
  .object({ problems: z.array(SourceProblem), manifest: Manifest.nullable() })
  .meta({ id: "CheckedFunction" })

export const FunctionExport = z
  .object({ functions: z.array(FunctionRecord) })
  .meta({ id: "FunctionExport" })

export const FunctionImport = z
  .object({ functions: z.array(NewFunction).min(1).max(200) })
  .meta({ id: "FunctionImport" })

export const FunctionImportResult = z
  .object({ created: z.array(z.string()), updated: z.array(z.string()) })
  .meta({ id: "FunctionsImported" })
