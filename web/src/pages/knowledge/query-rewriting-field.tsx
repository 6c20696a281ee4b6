import type { QueryRewritingMode } from "../../../../server/src/models/query-rewriting-mode.ts"
import { t } from "../../i18n/translate.ts"
import { SelectField } from "../../ui/select.tsx"

const modes = ["automatic", "on", "off"] as const satisfies QueryRewritingMode[]

interface QueryRewritingFieldProps {
  value: QueryRewritingMode
  onValue: (mode: QueryRewritingMode) => void
  error: string | undefined
}

/** When questions to a collection or a model are rewritten before files are searched. */
export const QueryRewritingField = (field: QueryRewritingFieldProps) => (
  <SelectField
    label={t("rewriting.label")}
    help={t("rewriting.help")}
    {...field}
    options={modes.map((value) => ({ value, label: t(`rewriting.mode.${value}`) }))}
  />
)
