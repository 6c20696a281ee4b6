import type { SettingDefinition } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { type ControlProps, Field, Input, TextArea } from "../../ui/field.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { Select } from "../../ui/select.tsx"
import { SwitchField } from "../../ui/switch.tsx"

export type SettingValue = string | number | boolean | null

interface SettingFieldProps {
  name: string
  shape: SettingDefinition
  /** `null` uses the default. */
  value: SettingValue
  /** The saved value; a mask if the setting is secret. */
  stored: SettingValue
  onValue: (value: SettingValue) => void
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
  if (shape.type === "number") {
    return (
      <NumberField
        label={label}
        {...(help && { help })}
        error={error ?? missingError(shape, value)}
        placeholder={placeholderOf(shape)}
        value={value === null ? null : Number(value)}
        onValue={onValue}
        onEmpty={() => onValue(null)}
        inputClass="w-40!"
      />
    )
  }
  return (
    <Field label={label} {...(help && { help })} error={error ?? missingError(shape, value)}>
      {(controlProps) => <Control controlProps={controlProps} {...props} />}
    </Field>
  )
}

const helpOf = (shape: SettingDefinition, stored: SettingValue): string => {
  const defaultValue = shape.default
  const more =
    shape.type === "secret"
      ? t(stored === null ? "values.secret" : "values.secretKept")
      : defaultValue !== undefined && shape.type !== "boolean" && defaultValue !== ""
        ? t("values.usual", { value: String(defaultValue) })
        : ""
  return [shape.description, more].filter(Boolean).join(" ")
}

const missingError = (
  { required, default: defaultValue }: SettingDefinition,
  value: SettingValue,
): string | undefined =>
  required && defaultValue === undefined && (value === null || value === "")
    ? t("values.missing")
    : undefined

const placeholderOf = ({ default: defaultValue }: SettingDefinition): string =>
  defaultValue === undefined ? "" : String(defaultValue)

const Control = ({
  controlProps,
  ...props
}: SettingFieldProps & { controlProps: ControlProps }) => {
  const { shape, value, onValue } = props
  const text = value === null ? "" : String(value)
  if (shape.type === "secret") return <SecretControl controlProps={controlProps} {...props} />
  if (shape.type === "choice") {
    const choices = (shape.choices ?? []).map((choice) => ({ value: choice, label: choice }))
    const defaultValue = typeof shape.default === "string" ? shape.default : ""
    return (
      <Select
        {...controlProps}
        value={text || defaultValue}
        onValue={(chosen) => onValue(chosen === "" ? null : chosen)}
        options={defaultValue ? choices : [{ value: "", label: t("values.choose") }, ...choices]}
      />
    )
  }
  const Control = shape.multiline ? TextArea : Input
  return (
    <Control
      {...controlProps}
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
const SecretControl = ({
  controlProps,
  value,
  stored,
  onValue,
}: SettingFieldProps & { controlProps: ControlProps }) => (
  <Input
    {...controlProps}
    type="password"
    autoComplete="new-password"
    spellCheck={false}
    value={value === stored || value === null ? "" : String(value)}
    placeholder={stored === null ? "" : "••••••••"}
    onChange={({ target }) => onValue(target.value === "" ? stored : target.value)}
  />
)
