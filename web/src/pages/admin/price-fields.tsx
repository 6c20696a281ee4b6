import { capabilities } from "../../../../server/src/prices/capabilities.ts"
import type { Capability } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Field, Input, TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import type { FormState } from "../../ui/use-form.ts"
import {
  commonTokenPrices,
  otherTokenPrices,
  type PriceValues,
  unitPrices,
} from "./price-values.ts"

type PriceForm = FormState<PriceValues>

type NumberName = {
  [Name in keyof PriceValues]: PriceValues[Name] extends number | null ? Name : never
}[keyof PriceValues]

interface NumbersProps {
  form: PriceForm
  names: readonly NumberName[]
  unit?: string
  isWhole?: boolean
}

const Numbers = ({ form, names, unit, isWhole = false }: NumbersProps) => (
  <div className="grid gap-x-4 gap-y-4 sm:grid-cols-2">
    {names.map((name) => (
      <NumberField
        key={name}
        label={t(`prices.${name}`)}
        {...bindField(form, name)}
        onEmpty={() => form.set({ [name]: null })}
        isWhole={isWhole}
        {...(unit !== undefined && { unit })}
      />
    ))}
  </div>
)

interface FieldGroupProps {
  title: string
  lead?: string
  children: React.ReactNode
}

const FieldGroup = ({ title, lead, children }: FieldGroupProps) => (
  <section className="flex flex-col gap-4 rounded border border-line p-4">
    <div>
      <h2 className="text-base font-semibold">{title}</h2>
      {lead && <p className="text-sm text-muted">{lead}</p>}
    </div>
    {children}
  </section>
)

const Folded = ({ title, open, children }: FieldGroupProps & { open: boolean }) => (
  <details open={open} className="rounded border border-line">
    <summary className="cursor-pointer px-4 py-3 text-sm font-medium">{title}</summary>
    <div className="flex flex-col gap-4 border-t border-line p-4">{children}</div>
  </details>
)

const hasAny = ({ values }: PriceForm, names: readonly NumberName[]): boolean =>
  names.some((name) => values[name] !== null)

/** What tokens cost, and what is charged besides them. */
export const PriceFields = ({ form }: { form: PriceForm }) => (
  <>
    <FieldGroup title={t("prices.tokens")} lead={t("prices.tokensLead")}>
      <Numbers form={form} names={commonTokenPrices} unit="$" />
    </FieldGroup>
    <FieldGroup title={t("prices.hardware")} lead={t("prices.hardwareLead")}>
      <Numbers form={form} names={["gpu_hour"]} unit="$" />
    </FieldGroup>
    <Folded
      title={t("prices.more")}
      open={hasAny(form, [...otherTokenPrices, ...unitPrices.filter((one) => one !== "gpu_hour")])}
    >
      <p className="text-sm text-muted">{t("prices.moreLead")}</p>
      <Numbers form={form} names={otherTokenPrices} unit="$" />
      <p className="text-sm text-muted">{t("prices.unitsLead")}</p>
      <Numbers form={form} names={["request", "image", "audio_minute"]} unit="$" />
    </Folded>
  </>
)

const Capabilities = ({ form }: { form: PriceForm }) => {
  const chosen = form.values.capabilities
  const toggle = (name: Capability, on: boolean): void =>
    form.set({
      capabilities: capabilities.filter((one) => (one === name ? on : chosen.includes(one))),
    })
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t("models.can")}</legend>
      <div className="mt-2 grid gap-2 sm:grid-cols-2">
        {capabilities.map((name) => (
          <label key={name} className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) => toggle(name, target.checked)}
              className="size-4 accent-accent"
            />
            {t(`prices.can.${name}`)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** What is known of the model besides its price. */
export const FactFields = ({ form, isOpen }: { form: PriceForm; isOpen: boolean }) => (
  <Folded title={t("prices.facts")} open={isOpen}>
    <Numbers form={form} names={["context_length", "max_output"]} isWhole />
    <div className="grid gap-x-4 gap-y-4 sm:grid-cols-2">
      <DayField form={form} name="end_of_life" />
      <TextField label={t("prices.successor")} {...bindField(form, "successor")} />
    </div>
    <TextField
      label={t("prices.source")}
      help={t("prices.sourceHelp")}
      {...bindField(form, "source")}
    />
    <Capabilities form={form} />
  </Folded>
)

interface DayFieldProps {
  form: PriceForm
  name: "day" | "end_of_life"
  help?: string
}

export const DayField = ({ form, name, help }: DayFieldProps) => {
  const { value, onValue, error } = bindField(form, name)
  return (
    <Field label={t(`prices.${name}`)} help={help} error={error}>
      {(control) => (
        <Input
          {...control}
          type="date"
          value={value}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  )
}
