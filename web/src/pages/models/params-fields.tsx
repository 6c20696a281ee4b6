import { type MessageKey, t } from "../../i18n/translate.ts"
import { Field, Input } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { Select } from "../../ui/select.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"

type Params = Record<string, unknown>

interface ParamsProps {
  params: Params
  onParams: (params: Params) => void
  error: unknown
}

const numbers: readonly {
  name: string
  label: MessageKey
  help: MessageKey
  min?: number
  max?: number
  step: number
}[] = [
  {
    name: "temperature",
    label: "param.temperature",
    help: "param.temperatureHelp",
    min: 0,
    max: 2,
    step: 0.1,
  },
  { name: "top_p", label: "param.topP", help: "param.topPHelp", min: 0, max: 1, step: 0.05 },
  { name: "max_tokens", label: "param.maxTokens", help: "param.maxTokensHelp", min: 1, step: 1 },
  { name: "seed", label: "param.seed", help: "param.seedHelp", step: 1 },
  {
    name: "frequency_penalty",
    label: "param.frequency",
    help: "param.frequencyHelp",
    min: -2,
    max: 2,
    step: 0.1,
  },
  {
    name: "presence_penalty",
    label: "param.presence",
    help: "param.presenceHelp",
    min: -2,
    max: 2,
    step: 0.1,
  },
]

const efforts = ["", "minimal", "low", "medium", "high"] as const

const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : ""

const list = (value: unknown): string[] => {
  if (typeof value === "string") return [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
}

/** Sampling and length parameters; an empty field uses the model's default. */
export const ParamsFields = ({ params, onParams, error }: ParamsProps) => {
  const set = (name: string, value: unknown): void => onParams({ ...params, [name]: value })
  return (
    <>
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        {numbers.map(({ name, label, help, ...range }) => (
          <Field
            key={name}
            label={t(label)}
            help={t(help)}
            error={fieldError(error, `params.${name}`)}
          >
            {(controlProps) => (
              <Input
                {...controlProps}
                {...range}
                type="number"
                inputMode="decimal"
                placeholder={t("param.default")}
                value={text(params[name])}
                onChange={({ target }) =>
                  set(name, target.value === "" ? undefined : Number(target.value))
                }
                className="tabular"
              />
            )}
          </Field>
        ))}
      </div>
      <Field label={t("param.effort")}>
        {(controlProps) => (
          <Select
            {...controlProps}
            value={text(params.reasoning_effort)}
            onValue={(value) => set("reasoning_effort", value === "" ? undefined : value)}
            options={efforts.map((value) => ({
              value,
              label: value === "" ? t("param.default") : t(`param.effort.${value}`),
            }))}
          />
        )}
      </Field>
      <TokensField
        label={t("param.stop")}
        help={t("param.stopHelp")}
        values={list(params.stop)}
        onValues={(stop) => set("stop", stop)}
      />
    </>
  )
}
