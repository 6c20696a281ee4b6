import { fail } from "../errors.ts"
import { type FunctionValves, type Manifest, type SettingShape, secretMask } from "./schema.ts"
import type { Values } from "./store.ts"

type Value = Values[string]

const wrong = (name: string, message: string): never => {
  const path = `values.${name}`
  return fail("invalid", `${path}: ${message}`, { errors: [{ path, message }] })
}

const within = (name: string, value: number, { min, max }: SettingShape): number => {
  if (!Number.isFinite(value)) wrong(name, "must be a number")
  if (min !== undefined && value < min) wrong(name, `must be ${min} or more`)
  if (max !== undefined && value > max) wrong(name, `must be ${max} or less`)
  return value
}

const maxCharacters = 20_000

const checked = (name: string, value: Value, shape: SettingShape): Value => {
  if (shape.type === "boolean") {
    return typeof value === "boolean" ? value : wrong(name, "must be true or false")
  }
  if (shape.type === "number") {
    return typeof value === "number" ? within(name, value, shape) : wrong(name, "must be a number")
  }
  if (typeof value !== "string") return wrong(name, "must be a string")
  if (value.length > maxCharacters) wrong(name, `must have at most ${maxCharacters} characters`)
  if (shape.type === "choice" && !shape.choices?.includes(value)) {
    wrong(name, `must be one of: ${(shape.choices ?? []).join(", ")}`)
  }
  return value
}

/** The value sent for a setting; undefined if it was omitted or is the secret's mask. */
const sentFor = (
  changes: Record<string, Value | null>,
  name: string,
  { type }: SettingShape,
): Value | null | undefined => {
  const sent = Object.hasOwn(changes, name) ? changes[name] : undefined
  return type === "secret" && sent === secretMask ? undefined : sent
}

/**
 * Applies changes to the stored values and drops values of settings that the module no longer has.
 */
export const changedValues = (
  { settings }: Manifest,
  stored: Values,
  changes: Record<string, Value | null>,
): Values => {
  for (const name of Object.keys(changes)) {
    if (!Object.hasOwn(settings, name)) wrong(name, "unknown setting")
  }
  const next: Values = {}
  for (const [name, shape] of Object.entries(settings)) {
    const sent = sentFor(changes, name, shape)
    const value = sent === undefined ? stored[name] : sent
    if (value === undefined || value === null) continue
    next[name] = sent === undefined ? value : checked(name, value, shape)
  }
  return next
}

/** The values passed to the function: those set by an administrator, otherwise the defaults. */
export const effectiveValues = ({ settings }: Manifest, stored: Values): Values => {
  const values: Values = {}
  for (const [name, shape] of Object.entries(settings)) {
    const value = stored[name] ?? shape.default
    if (value !== undefined) values[name] = value
  }
  return values
}

/** Names of the required settings that have no value. */
export const missingValues = ({ settings }: Manifest, values: Values): string[] =>
  Object.entries(settings)
    .filter(([name, { required }]) => required && (values[name] ?? "") === "")
    .map(([name]) => name)

/** The values as sent to clients, with secrets masked. */
export const shownValues = ({ settings }: Manifest, stored: Values): FunctionValves => {
  const values: FunctionValves["values"] = {}
  for (const [name, shape] of Object.entries(settings)) {
    const value = stored[name] ?? null
    values[name] = shape.type === "secret" && value !== null ? secretMask : value
  }
  return { settings, values }
}
