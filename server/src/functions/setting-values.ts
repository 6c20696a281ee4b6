import { failInvalid } from "../errors.ts"
import { type MessageOrText, translatable } from "../i18n/message.ts"
import { type FunctionValves, type Manifest, type SettingDefinition, secretMask } from "./schema.ts"
import type { SettingValues } from "./store.ts"

type Value = SettingValues[string]

const failSetting = (name: string, message: MessageOrText): never =>
  failInvalid(`values.${name}`, message)

const checkRange = (name: string, value: number, { min, max }: SettingDefinition): number => {
  if (!Number.isFinite(value)) failSetting(name, translatable("field_not_number"))
  if (min !== undefined && value < min) failSetting(name, translatable("field_too_small", { min }))
  if (max !== undefined && value > max) failSetting(name, translatable("field_too_large", { max }))
  return value
}

const maxCharacters = 20_000

const checkValue = (name: string, value: Value, shape: SettingDefinition): Value => {
  if (shape.type === "boolean") {
    return typeof value === "boolean" ? value : failSetting(name, "Use true or false.")
  }
  if (shape.type === "number") {
    return typeof value === "number"
      ? checkRange(name, value, shape)
      : failSetting(name, translatable("field_not_number"))
  }
  if (typeof value !== "string") return failSetting(name, translatable("field_not_text"))
  if (value.length > maxCharacters)
    failSetting(name, translatable("field_too_many_characters", { max: maxCharacters }))
  if (shape.type === "choice" && !shape.choices?.includes(value)) {
    failSetting(
      name,
      translatable("field_not_a_choice", { choices: (shape.choices ?? []).join(", ") }),
    )
  }
  return value
}

/** The value sent for a setting; undefined if it was omitted or is the secret's mask. */
const findSentValue = (
  changes: Record<string, Value | null>,
  name: string,
  { type }: SettingDefinition,
): Value | null | undefined => {
  const sent = Object.hasOwn(changes, name) ? changes[name] : undefined
  return type === "secret" && sent === secretMask ? undefined : sent
}

/**
 * Applies changes to the stored values and drops values of settings that the module no longer has.
 */
export const applyValueChanges = (
  { settings }: Manifest,
  stored: SettingValues,
  changes: Record<string, Value | null>,
): SettingValues => {
  for (const name of Object.keys(changes)) {
    if (!Object.hasOwn(settings, name)) failSetting(name, "Unknown setting.")
  }
  const next: SettingValues = {}
  for (const [name, shape] of Object.entries(settings)) {
    const sentValue = findSentValue(changes, name, shape)
    const value = sentValue === undefined ? stored[name] : sentValue
    if (value === undefined || value === null) continue
    next[name] = sentValue === undefined ? value : checkValue(name, value, shape)
  }
  return next
}

/** The values passed to the function: those set by an administrator, otherwise the defaults. */
export const effectiveValues = ({ settings }: Manifest, stored: SettingValues): SettingValues => {
  const values: SettingValues = {}
  for (const [name, shape] of Object.entries(settings)) {
    const value = stored[name] ?? shape.default
    if (value !== undefined) values[name] = value
  }
  return values
}

/** Names of the required settings that have no value. */
export const missingSettings = ({ settings }: Manifest, values: SettingValues): string[] =>
  Object.entries(settings)
    .filter(([name, { required }]) => required && (values[name] ?? "") === "")
    .map(([name]) => name)

/** The values as sent to clients, with secrets masked. */
export const maskedValues = ({ settings }: Manifest, stored: SettingValues): FunctionValves => {
  const values: FunctionValves["values"] = {}
  for (const [name, shape] of Object.entries(settings)) {
    const value = stored[name] ?? null
    values[name] = shape.type === "secret" && value !== null ? secretMask : value
  }
  return { settings, values }
}
