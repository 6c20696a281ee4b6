import type { SettingDefinition } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Field, Input, Select, TextArea, type Wired } from "../../ui/field.tsx"
import { SwitchField } from "../../ui/switch.tsx"

export type Value = string | number | boolean | null

interface SettingFieldProps {
  name: string
  shape: SettingDefinition
  /** `null` uses the default. */
  value: Value
  /** The saved value; a mask if the setting is secret. */
  stored: Value
  onValue: (value: Value) => void
  error: string | undefined
}

/** A setting, with the control that its description requires. */
export const SettingField = (props: SettingFieldProps) => {
  const { name, shape, value, stored, onValue, error } = props
  const label = shape.label ?? name
  const help = helpOf(shape, stored)
  if (shape.type === "boolean") {
    return (
      <SwitchField
        label={label}
        {...(help && { help })}
        checked={typeof value === "boolean" ? value : shape.default === true}
        onValue={onValue}
      />
    )
  }
  return (
    <Field label={label} {...(help && { help })} error={error ?? missing(shape, value)}>
      {(wired) => <Control wired={wired} {...props} />}
    </Field>
  )
}

const helpOf = (shape: SettingDefinition, stored: Value): string => {
  const usual = shape.default
  const more =
    shape.type === "secret"
      ? t(stored === null ? "values.secret" : "values.secretKept")
      : usual !== undefined && shape.type !== "boolean" && usual !== ""
        ? t("values.usual", { value: String(usual) })
        : ""
  return [shape.description, more].filter(Boolean).join(" ")
}

const missing = (
  { required, default: usual }: SettingDefinition,
  value: Value,
): string | undefined =>
  required && usual === undefined && (value === null || value === "")
    ? t("values.missing")
    : undefined

const placeholderOf = ({ default: usual }: SettingDefinition): string =>
  usual === undefined ? "" : String(usual)

const Control = ({ wired, ...props }: SettingFieldProps & { wired: Wired }) => {
  const { shape, value, onValue } = props
  const text = value === null ? "" : String(value)
  if (shape.type === "secret") return <SecretControl wired={wired} {...props} />
  if (shape.type === "choice") {
    const choices = (shape.choices ?? []).map((choice) => ({ value: choice, label: choice }))
    const usual = typeof shape.default === "string" ? shape.default : ""
    return (
      <Select
        {...wired}
        value={text || usual}
        onValue={(chosen) => onValue(chosen === "" ? null : chosen)}
        options={usual ? choices : [{ value: "", label: t("values.choose") }, ...choices]}
      />
    )
  }
  if (shape.type === "number") {
    return (
      <Input
        {...wired}
        type="number"
        inputMode="decimal"
        step="any"
        min={shape.min}
        max={shape.max}
        value={text}
        placeholder={placeholderOf(shape)}
        onChange={({ target }) => onValue(target.value === "" ? null : Number(target.value))}
        className="w-40! tabular"
      />
    )
  }
  const Control = shape.multiline ? TextArea : Input
  return (
    <Control
      {...wired}
      value={text}
      placeholder={placeholderOf(shape)}
      autoComplete="off"
      onChange={({ target }: { target: { value: string } }) =>
        onValue(target.value === "" ? null : target.value)
      }
    />
  )
}

/** Never shows the saved secret, which is kept unless a new one is entered. */
const SecretControl = ({ wired, value, stored, onValue }: SettingFieldProps & { wired: Wired }) => (
  <Input
    {...wired}
    type="password"
    autoComplete="new-password"
    spellCheck={false}
    value={value === stored || value === null ? "" : String(value)}
    placeholder={stored === null ? "" : "••••••••"}
    onChange={({ target }) => onValue(target.value === "" ? stored : target.value)}
  />
)
