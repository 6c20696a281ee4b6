import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { deriveId } from "../../lib/derive-id.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { classes } from "../../ui/classes.ts"
import { ComboboxField, toChoice } from "../../ui/combobox.tsx"
import { TextAreaField, TextField } from "../../ui/field.tsx"
import { bindField, Form, fieldError } from "../../ui/form.tsx"
import { NameAndIdFields, useDerivedId } from "../../ui/name-and-id-fields.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import type { FormState } from "../../ui/use-form.ts"
import { GrantsField } from "../grants/grants-field.tsx"
import { QueryRewritingField } from "../knowledge/query-rewriting-field.tsx"
import { KnowledgeField } from "./knowledge-field.tsx"
import type { ModelValues } from "./model-values.ts"
import { ParamsFields } from "./params-fields.tsx"
import { StartersField } from "./starters-field.tsx"
import { TryModel } from "./try-model.tsx"

/** The fields of a workspace model, with a pane to try them. */
export const ModelForm = ({ form }: { form: FormState<ModelValues> }) => {
  const { values, set, error, isNew } = form
  const { data: models = [] } = useQuery(modelsQuery)
  const derivedId = useDerivedId(deriveId)
  const bases = models.filter(({ id, capabilities }) => id !== values.id && !capabilities.embedding)
  return (
    <div className="grid grid-cols-1 gap-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <Form
        form={form}
        fields={["id", "name", "base_model_id", "meta", "params", "access_grants"]}
        {...(isNew && { action: t("models.create") })}
      >
        <ComboboxField
          label={t("models.base")}
          error={fieldError(error, "base_model_id")}
          placeholder={t("models.baseChoose")}
          choices={bases.map(toChoice)}
          value={values.base_model_id}
          onValue={(base) => set({ base_model_id: base ?? "" })}
        />
        <div className={classes("grid gap-x-4 gap-y-5", isNew && "sm:grid-cols-2")}>
          {isNew ? (
            <NameAndIdFields
              idHelp={t("models.idHelp")}
              values={values}
              set={set}
              derivedId={derivedId}
              error={error}
            />
          ) : (
            <TextField label={t("label.name")} {...bindField(form, "name")} autoComplete="off" />
          )}
        </div>
        <TextField
          label={t("label.description")}
          value={values.description}
          onValue={(description) => set({ description })}
          error={fieldError(error, "meta.description")}
          autoComplete="off"
        />
        <TextAreaField
          label={t("label.systemPrompt")}
          error={fieldError(error, "params.system")}
          value={values.system}
          onValue={(value) => set({ system: value })}
          inputClass="max-h-96 min-h-32"
        />
        <KnowledgeField ids={values.knowledge} onIds={(knowledge) => set({ knowledge })} />
        <QueryRewritingField
          value={values.query_rewriting}
          onValue={(query_rewriting) => set({ query_rewriting })}
          error={fieldError(error, "meta.query_rewriting")}
        />
        <TokensField
          label={t("label.tags")}
          values={values.tags}
          onValues={(tags) => set({ tags })}
          error={fieldError(error, "meta.tags")}
        />
        <StartersField
          starters={values.starters}
          onStarters={(starters) => set({ starters })}
          error={fieldError(error, "meta.starters")}
        />
        <GrantsField
          label={t("label.access")}
          grants={values.access_grants}
          onGrants={(access_grants) => set({ access_grants })}
        />
        <SwitchField
          label={t("models.claudeAlias")}
          help={t("models.claudeAliasHelp")}
          checked={values.claude_alias}
          onValue={(claude_alias) => set({ claude_alias })}
        />
        <details className="rounded border border-line">
          <summary className="px-4 py-3 text-sm font-medium">{t("models.params")}</summary>
          <div className="flex flex-col gap-5 border-t border-line p-4">
            <ParamsFields
              params={values.params}
              onParams={(params) => set({ params })}
              error={error}
            />
          </div>
        </details>
      </Form>
      <TryModel values={values} />
    </div>
  )
}
