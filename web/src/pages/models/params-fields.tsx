import { type MessageKey, t } from "../../i18n/translate.ts"

import { fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { SelectField } from "../../ui/select.tsx"
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
  isWhole?: true
}[] = [
  {
    name: "temperature",
    label: "label.temperature",
    help: "param.temperatureHelp",
  },
  { name: "top_p", label: "label.topP", help: "param.topPHelp" },
  { name: "max_tokens", label: "param.maxTokens", help: "param.maxTokensHelp", isWhole: true },
  { name: "seed", label: "label.seed", help: "param.seedHelp", isWhole: true },
  {
    name: "frequency_penalty",
    label: "param.frequency",
    help: "param.frequencyHelp",
  },
  {
    name: "presence_penalty",
    label: "param.presence",
    help: "param.presenceHelp",
  },
]

const efforts = ["", "minimal", "low", "medium", "high"] as const

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null)

const text = (value: unknown): string => (typeof value === "string" ? value : "")

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
        {numbers.map(({ name, label, help, isWhole = false }) => (
          <NumberField
            key={name}
            label={t(label)}
            help={t(help)}
            error={fieldError(error, `params.${name}`)}
            isWhole={isWhole}
            placeholder={t("label.default")}
            value={numberOf(params[name])}
            onValue={(value) => set(name, value)}
            onEmpty={() => set(name, undefined)}
          />
        ))}
      </div>
      <SelectField
        label={t("param.effort")}
        value={text(params.reasoning_effort)}
        onValue={(value) => set("reasoning_effort", value === "" ? undefined : value)}
        options={efforts.map((value) => ({
          value,
          label: value === "" ? t("label.default") : t(`param.effort.${value}`),
        }))}
      />
      <TokensField
        label={t("param.stop")}
        help={t("param.stopHelp")}
        values={list(params.stop)}
        onValues={(stop) => set("stop", stop)}
      />
    </>
  )
}
