import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import type { RetrievalMode } from "../../../../server/src/knowledge/schema.ts"
import type { QueryRewritingMode } from "../../../../server/src/models/query-rewriting-mode.ts"
import { t } from "../../i18n/translate.ts"
import { TextAreaField, TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { SelectField } from "../../ui/select.tsx"
import type { FormState } from "../../ui/use-form.ts"
import { GrantsField } from "../grants/grants-field.tsx"
import { QueryRewritingField } from "./query-rewriting-field.tsx"

const searchModes = ["hybrid", "lexical", "dense"] as const satisfies RetrievalMode[]

export interface CollectionValues {
  name: string
  description: string
  search: RetrievalMode
  query_rewriting: QueryRewritingMode
  access_grants: AccessGrant[]
}

interface FieldsProps {
  form: FormState<CollectionValues>
  shareable: boolean
}

/** Name, description, search mode, and access of a collection. */
export const CollectionFields = ({ form, shareable }: FieldsProps) => (
  <>
    <TextField label={t("label.name")} {...bindField(form, "name")} autoComplete="off" />
    <TextAreaField label={t("label.description")} {...bindField(form, "description")} />
    <SelectField
      label={t("knowledge.way")}
      help={t("knowledge.wayHelp")}
      {...bindField(form, "search")}
      options={searchModes.map((value) => ({ value, label: t(`knowledge.way.${value}`) }))}
    />
    <QueryRewritingField {...bindField(form, "query_rewriting")} />
    {shareable ? (
      <GrantsField
        label={t("knowledge.grants")}
        grants={form.values.access_grants}
        onGrants={(access_grants) => form.set({ access_grants })}
      />
    ) : (
      <p className="text-sm text-muted">{t("knowledge.onlyOwnerShares")}</p>
    )}
  </>
)
