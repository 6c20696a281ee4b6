import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { ComboboxField } from "../../ui/combobox.tsx"
import { Field, Input } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { SelectField } from "../../ui/select.tsx"
import { SuggestionInput } from "../../ui/suggestion-input.tsx"
import { type LimitValues, metrics, windows, withMetric, withWindow } from "./limit-values.ts"

/** Errors of the gateway that the fields show. */
export const limitErrorFields = [
  ...["amount", "metric", "window", "mode", "rolling", "time_zone", "model", "raise"],
] as const

export interface LimitFieldsProps {
  values: LimitValues
  set: (changes: Partial<LimitValues>) => void
  error: unknown
  /** Whether the limit exists, so that its unit and model are fixed. */
  exists?: boolean
  /** Whether it can be restricted to requests to one model. */
  hasModel?: boolean
}

/** What a limit allows: an amount per time first, everything else below. */
export const LimitFields = (props: LimitFieldsProps) => (
  <>
    <AmountFields {...props} />
    <details className="rounded border border-line" open={hasOptions(props)}>
      <summary className="cursor-pointer px-4 py-3 text-sm font-medium">
        {t("limits.options")}
      </summary>
      <div className="flex flex-col gap-5 border-t border-line p-4">
        <PeriodFields {...props} />
        {props.values.metric !== "concurrency" && <ModeField {...props} />}
        {props.hasModel && !props.exists && <ModelField {...props} />}
        <RaiseFields {...props} />
      </div>
    </details>
  </>
)

/** Whether there is something to show that is not as usual. */
const hasOptions = ({ values, error }: LimitFieldsProps): boolean =>
  values.mode === "soft" ||
  values.rolling ||
  values.raise_amount !== null ||
  fieldError(error, "window", "mode", "rolling", "time_zone", "model", "raise") !== undefined

const AmountFields = (props: LimitFieldsProps) => {
  const { values, set, exists = false } = props
  const { metric } = values
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <NumberField
        label={t("limits.amount")}
        {...bindField(props, "amount")}
        onEmpty={() => set({ amount: null })}
        isWhole={metric !== "cost"}
        {...(exists && { unit: metric === "cost" ? "$" : t(`limits.metric.${metric}`) })}
        className="max-sm:col-span-2"
      />
      {!exists && (
        <SelectField
          label={t("limits.unit")}
          {...bindField(props, "metric")}
          onValue={(next) => set(withMetric(next, values))}
          options={metrics.map((one) => ({ value: one, label: t(`limits.metric.${one}`) }))}
        />
      )}
      {metric !== "concurrency" && (
        <SelectField
          label={t("limits.period")}
          {...bindField(props, "window")}
          onValue={(next) => set(withWindow(next))}
          options={windows.map((one) => ({ value: one, label: t(`limits.window.${one}`) }))}
        />
      )}
    </div>
  )
}

/** The time zone that the browser has may be missing among those that it lists, such as UTC. */
const timeZoneChoices = (chosen: string) =>
  [...new Set(["UTC", chosen, ...Intl.supportedValuesOf("timeZone")])].map((zone) => ({
    value: zone,
    label: zone,
  }))

/** When a period begins; those of a minute, and in total, have no beginning to choose. */
const PeriodFields = (props: LimitFieldsProps) => {
  const { values, set } = props
  const { window, rolling } = values
  if (window === "minute" || window === "total") return null
  const choices = [false, true].map((one) => ({
    value: String(one),
    label: t(`limits.${one ? "rolling" : "calendar"}.${window}`),
  }))
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      <SelectField
        label={t("limits.begins")}
        value={String(rolling)}
        error={fieldError(props.error, "rolling")}
        onValue={(next) => set({ rolling: next === "true" })}
        options={choices}
      />
      {!rolling && window !== "hour" && (
        <ComboboxField
          label={t("limits.timeZone")}
          choices={timeZoneChoices(values.time_zone)}
          value={values.time_zone}
          onValue={(next) => next !== null && set({ time_zone: next })}
          error={fieldError(props.error, "time_zone")}
        />
      )}
    </div>
  )
}

const modes = ["hard", "soft"] as const

const ModeField = ({ values, set }: LimitFieldsProps) => {
  const id = useId()
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">{t("limits.mode")}</legend>
      {modes.map((mode) => (
        <label key={mode} htmlFor={`${id}-${mode}`} className="flex items-start gap-2 text-sm">
          <input
            id={`${id}-${mode}`}
            type="radio"
            name={id}
            checked={values.mode === mode}
            onChange={() => set({ mode })}
            aria-label={t(`limits.${mode}`)}
            aria-describedby={`${id}-${mode}-help`}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span>
            {t(`limits.${mode}`)}
            <span id={`${id}-${mode}-help`} className="block text-xs text-muted">
              {t(`limits.${mode}Help`)}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

const ModelField = (props: LimitFieldsProps) => {
  const { data = [] } = useQuery(modelsQuery)
  const { value, onValue, error } = bindField(props, "model")
  return (
    <Field label={t("limits.model")} help={t("limits.modelHelp")} error={error}>
      {(control) => (
        <SuggestionInput
          {...control}
          text={value}
          onText={onValue}
          onChoose={onValue}
          placeholder={t("label.allModels")}
          suggestions={data.map(({ id }) => id)}
        />
      )}
    </Field>
  )
}

const RaiseFields = (props: LimitFieldsProps) => {
  const { values, set, error } = props
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t("limits.raise")}</legend>
      <p className="mb-3 text-xs text-muted">{t("limits.raiseHelp")}</p>
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        <NumberField
          label={t("limits.raiseAmount")}
          value={values.raise_amount}
          onValue={(raise_amount) => set({ raise_amount })}
          onEmpty={() => set({ raise_amount: null })}
          isWhole={values.metric !== "cost"}
          unit={values.metric === "cost" ? "$" : ""}
          error={fieldError(error, "raise.amount")}
        />
        <Field label={t("limits.raiseUntil")} error={fieldError(error, "raise.until")}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={values.raise_until}
              onChange={({ target }) => set({ raise_until: target.value })}
            />
          )}
        </Field>
      </div>
    </fieldset>
  )
}
