import type { FunctionError, Sandbox, TypeStripper } from "@portico/sandbox"
import { z } from "zod"
import { fail, failInvalid } from "../errors.ts"
import { type Manifest, SettingDefinition, type SourceProblem } from "./schema.ts"
import type { ValidatedSource } from "./store.ts"

/** Limits for loading a module, which should only declare things. */
const loadLimits = { cpuMs: 1000, wallMs: 5000, outputBytes: 0, pieces: 0 }

const ModelId = z
  .string()
  .max(100)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    "must start with a letter or digit and contain only letters, digits and . _ : -",
  )

/** The metadata that a module exports, parsed strictly, so that authors learn about mistakes. */
const ModuleMetadata = z.object({
  name: z.string().max(200).nullish(),
  description: z.string().max(2000).nullish(),
  models: z
    .array(
      z.object({
        id: ModelId,
        name: z.string().max(200).optional(),
        description: z.string().max(2000).optional(),
      }),
    )
    .min(1)
    .max(100)
    .nullish(),
  settings: z.record(z.string(), SettingDefinition).nullish(),
  found: z.object({
    reply: z.boolean(),
    before: z.boolean(),
    after: z.boolean(),
    chunk: z.boolean(),
  }),
})

export type ValidationResult = { source: ValidatedSource } | { problem: SourceProblem }

const problem = (message: string): { problem: SourceProblem } => ({
  problem: { message, line: null, column: null },
})

const problemFromError = ({ message, line, column }: FunctionError) => ({
  problem: { message, line, column },
})

const noHooks =
  'A function must export "reply" (a model) or at least one of "before", "chunk" and "after" (a filter)'

const settingError = (name: string, shape: SettingDefinition): string | null => {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
    return "the name must start with a letter and contain only letters, digits and _ (at most 64)"
  }
  if (shape.type === "choice" && !shape.choices?.length)
    return 'a setting of type "choice" needs "choices"'
  const hasVisibleDefault = shape.type === "secret" && shape.default !== undefined
  return hasVisibleDefault
    ? "a secret cannot have a default, which would be visible in the source"
    : null
}

/** Rules that the schema cannot express: at least one hook, and no duplicate model ids. */
const metadataError = ({
  found,
  models,
  settings,
}: z.output<typeof ModuleMetadata>): string | null => {
  if (!Object.values(found).some(Boolean)) return noHooks
  const ids = (models ?? []).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return "models: duplicate id"
  for (const [name, shape] of Object.entries(settings ?? {})) {
    const message = settingError(name, shape)
    if (message) return `settings.${name}: ${message}`
  }
  return null
}

const modelsFrom = ({ found, name, description, models }: z.output<typeof ModuleMetadata>) => {
  if (!found.reply) return []
  if (!models) return [{ id: "", name: name ?? "", description: description ?? "" }]
  return models.map(({ id, ...model }) => {
    const { name: modelName = id, description: text = "" } = model
    return { id, name: modelName, description: text }
  })
}

const parseManifest = (value: unknown): { manifest: Manifest } | { problem: SourceProblem } => {
  const { data, error } = ModuleMetadata.safeParse(value)
  if (!data) {
    const [issue] = error.issues
    return problem(`${issue?.path.join(".")}: ${issue?.message}`)
  }
  const message = metadataError(data)
  if (message) return problem(message)
  const { reply, ...filter } = data.found
  return {
    manifest: {
      name: data.name ?? null,
      description: data.description ?? "",
      models: modelsFrom(data),
      filter: Object.values(filter).some(Boolean) ? filter : null,
      settings: data.settings ?? {},
    },
  }
}

const emptyContext = JSON.stringify({
  user: { id: "", name: "", email: "", role: "", groups: [] },
  settings: {},
  model: { id: "", name: null },
})

/**
 * Validates a source: removes its types and loads it once in the sandbox to see what it exports.
 */
export const createSourceValidator = (sandbox: Sandbox, typeStripper: TypeStripper) => {
  const describe = async (code: string): Promise<ValidationResult | { manifest: Manifest }> => {
    const session = await sandbox.open({
      name: "",
      code,
      json: emptyContext,
      limits: loadLimits,
      listener: {
        onOutput: () => true,
        onLog: () => {},
        onHostCall: async () =>
          fail("forbidden", "Host functions cannot be called while the module is loading"),
      },
    })
    try {
      const loaded = await session.loaded
      if ("error" in loaded) return problemFromError(loaded.error)
      const described = await session.invoke("describe", {})
      return "error" in described
        ? problemFromError(described.error)
        : parseManifest(described.value)
    } finally {
      session.finish()
    }
  }

  const validate = async (content: string): Promise<ValidationResult> => {
    const stripped = await typeStripper.strip(content)
    if ("problem" in stripped) return stripped
    const described = await describe(stripped.code)
    if (!("manifest" in described)) return described
    return { source: { content, code: stripped.code, manifest: described.manifest } }
  }

  const validateOrFail = async (content: string, path = "content"): Promise<ValidatedSource> => {
    const result = await validate(content)
    if ("source" in result) return result.source
    const { message, line, column } = result.problem
    const where = line === null ? "" : ` (line ${line}, column ${column ?? 1})`
    const error = { path, message, ...(line !== null && { line, column: column ?? 1 }) }
    return fail("invalid", `${path}: ${message}${where}`, { errors: [error] })
  }

  return {
    check: validate,

    /** @throws {Failure} `invalid`, with the line and column of the error */
    validateOrFail,

    /** Sources by id. @throws {Failure} `invalid`, also if an id occurs twice */
    validateAll: async (
      functions: readonly { id: string; content: string }[],
    ): Promise<Map<string, ValidatedSource>> => {
      const sources = new Map<string, ValidatedSource>()
      for (const [at, { id, content }] of functions.entries()) {
        if (sources.has(id)) failInvalid(`functions.${at}.id`, `"${id}" occurs more than once.`)
        sources.set(id, await validateOrFail(content, `functions.${at}.content`))
      }
      return sources
    },
  }
}

export type SourceValidator = ReturnType<typeof createSourceValidator>
