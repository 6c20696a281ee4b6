import { z } from "zod"
import { fail } from "../errors.ts"
import type { Wall } from "./sandbox/sandbox.ts"
import type { Trouble } from "./sandbox/session.ts"
import { type Manifest, type Problem, SettingShape } from "./schema.ts"
import type { Source } from "./store.ts"
import type { Stripper } from "./strip-types.ts"

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
const Described = z.object({
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
  settings: z.record(z.string(), SettingShape).nullish(),
  found: z.object({
    reply: z.boolean(),
    before: z.boolean(),
    after: z.boolean(),
    chunk: z.boolean(),
  }),
})

export type Checked = { source: Source } | { problem: Problem }

const problem = (message: string): { problem: Problem } => ({
  problem: { message, line: null, column: null },
})

const ofTrouble = ({ message, line, column }: Trouble): { problem: Problem } => ({
  problem: { message, line, column },
})

const nothingFound =
  'A function must export "reply" (a model) or at least one of "before", "chunk" and "after" (a filter)'

const settingFault = (name: string, shape: SettingShape): string | null => {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) {
    return "the name must start with a letter and contain only letters, digits and _ (at most 64)"
  }
  if (shape.type === "choice" && !shape.choices?.length)
    return 'a setting of type "choice" needs "choices"'
  const tells = shape.type === "secret" && shape.default !== undefined
  return tells ? "a secret cannot have a default, which would be visible in the source" : null
}

/** Rules that the schema cannot express: at least one hook, and no duplicate model ids. */
const faultOf = ({ found, models, settings }: z.output<typeof Described>): string | null => {
  if (!Object.values(found).some(Boolean)) return nothingFound
  const ids = (models ?? []).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return "models: duplicate id"
  for (const [name, shape] of Object.entries(settings ?? {})) {
    const fault = settingFault(name, shape)
    if (fault) return `settings.${name}: ${fault}`
  }
  return null
}

const modelsIn = ({ found, name, description, models }: z.output<typeof Described>) => {
  if (!found.reply) return []
  if (!models) return [{ id: "", name: name ?? "", description: description ?? "" }]
  return models.map(({ id, name: shown = id, description: told = "" }) => ({
    id,
    name: shown,
    description: told,
  }))
}

const manifestOf = (value: unknown): { manifest: Manifest } | { problem: Problem } => {
  const { data, error } = Described.safeParse(value)
  if (!data) {
    const [issue] = error.issues
    return problem(`${issue?.path.join(".")}: ${issue?.message}`)
  }
  const fault = faultOf(data)
  if (fault) return problem(fault)
  const { reply, ...filter } = data.found
  return {
    manifest: {
      name: data.name ?? null,
      description: data.description ?? "",
      models: modelsIn(data),
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
export const createCheck = (wall: Wall, stripper: Stripper) => {
  const describe = async (code: string): Promise<Checked | { manifest: Manifest }> => {
    const session = await wall.open({
      name: "",
      code,
      json: emptyContext,
      limits: loadLimits,
      hears: {
        out: () => true,
        log: () => {},
        call: async () =>
          fail("forbidden", "Host functions cannot be called while the module is loading"),
      },
    })
    try {
      const loaded = await session.loaded
      if ("error" in loaded) return ofTrouble(loaded.error)
      const described = await session.invoke("describe", {})
      return "error" in described ? ofTrouble(described.error) : manifestOf(described.value)
    } finally {
      session.finish()
    }
  }

  const check = async (content: string): Promise<Checked> => {
    const stripped = await stripper.strip(content)
    if ("problem" in stripped) return stripped
    const described = await describe(stripped.code)
    if (!("manifest" in described)) return described
    return { source: { content, code: stripped.code, manifest: described.manifest } }
  }

  return {
    check,

    /** @throws {Failure} `invalid`, with the line and column of the error */
    orFail: async (content: string, path = "content"): Promise<Source> => {
      const checked = await check(content)
      if ("source" in checked) return checked.source
      const { message, line, column } = checked.problem
      const where = line === null ? "" : ` (line ${line}, column ${column ?? 1})`
      const error = { path, message, ...(line !== null && { line, column: column ?? 1 }) }
      return fail("invalid", `${path}: ${message}${where}`, { errors: [error] })
    },
  }
}

export type CheckSource = ReturnType<typeof createCheck>
