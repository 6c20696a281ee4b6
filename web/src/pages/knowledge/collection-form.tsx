import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import type { RetrievalMode } from "../../../../server/src/knowledge/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Field, TextArea, TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { Select } from "../../ui/select.tsx"
import type { FormState } from "../../ui/use-form.ts"
import { GrantsField } from "../grants/grants-field.tsx"

const searchModes = ["hybrid", "lexical", "dense"] as const satisfies RetrievalMode[]

export interface CollectionValues {
  name: string
  description: string
  search: RetrievalMode
  access_grants: AccessGrant[]
}

interface FieldsProps {
  form: FormState<CollectionValues>
  shareable: boolean
}

/** Name, description, search mode, and access of a collection. */
export const CollectionFields = ({ form: { values, set, error }, shareable }: FieldsProps) => (
  <>
    <TextField
      label={t("label.name")}
      value={values.name}
      onValue={(name) => set({ name })}
      error={fieldError(error, "name")}
      autoComplete="off"
    />
    <Field label={t("label.description")} error={fieldError(error, "description")}>
      {(controlProps) => (
        <TextArea
          {...controlProps}
          value={values.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      )}
    </Field>
    <Field
      label={t("knowledge.way")}
      help={t("knowledge.wayHelp")}
      error={fieldError(error, "search")}
    >
      {(controlProps) => (
        <Select
          {...controlProps}
          value={values.search}
          onValue={(value) =>
            set({ search: searchModes.find((mode) => mode === value) ?? "hybrid" })
          }
          options={searchModes.map((value) => ({ value, label: t(`knowledge.way.${value}`) }))}
        />
      )}
    </Field>
    {shareable ? (
      <GrantsField
        label={t("knowledge.grants")}
        grants={values.access_grants}
        onGrants={(access_grants) => set({ access_grants })}
      />
    ) : (
      <p className="text-sm text-muted">{t("knowledge.onlyOwnerShares")}</p>
    )}
  </>
)
