import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import type { FunctionRecord } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { Form, fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { GrantsField } from "../grants/grants-field.tsx"
import { functionQuery } from "./function-queries.ts"
import { useFunction } from "./use-function.ts"

const valuesOf = (one: FunctionRecord) => {
  const { access_grants, hosts, filter_models, filter_order } = one
  return { access_grants, hosts, filter_models, filter_order }
}

/** Who may use the function, the hosts it may contact, and the models it filters. */
export const AccessPart = () => {
  const one = useFunction()
  const form = useEditForm({
    object: one,
    valuesOf,
    save: (body) => api.post("/api/v1/functions/id/:id/update", { params: { id: one.id }, body }),
    invalidates: [["functions"], ["models"]],
    onSaved: (saved) => queryClient.setQueryData(functionQuery(one.id).queryKey, saved),
  })
  const { values, set, error } = form
  return (
    <div className="max-w-[42rem]">
      <Form form={form}>
        {one.models.length > 0 && (
          <GrantsField
            label={t("access.grants")}
            grants={values.access_grants}
            onGrants={(access_grants) => set({ access_grants })}
            readOnly
          />
        )}
        {one.filter && (
          <FilteredModelsField
            models={values.filter_models}
            onModels={(filter_models) => set({ filter_models })}
          />
        )}
        {one.filter && (
          <NumberField
            label={t("label.order")}
            help={t("access.orderHelp")}
            error={fieldError(error, "filter_order")}
            isWhole
            value={values.filter_order}
            onValue={(filter_order) => set({ filter_order })}
            inputClass="w-32!"
          />
        )}
        <TokensField
          label={t("access.hosts")}
          help={t("access.hostsHelp")}
          placeholder="api.example.com"
          values={values.hosts}
          onValues={(hosts) => set({ hosts })}
          error={fieldError(error, "hosts")}
        />
      </Form>
    </div>
  )
}

interface FilteredModelsFieldProps {
  models: readonly string[]
  onModels: (models: string[]) => void
}

/** All models or selected ones. */
const FilteredModelsField = ({ models, onModels }: FilteredModelsFieldProps) => {
  const id = useId()
  const { data: known = [] } = useQuery(modelsQuery)
  const all = models.includes("*")
  const named = models.filter((model) => model !== "*")
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{t("label.models")}</legend>
      <p className="text-xs text-muted">{t("access.filterLead")}</p>
      <div className="flex flex-col gap-2">
        {([true, false] as const).map((every) => (
          <label
            key={String(every)}
            htmlFor={`${id}-${every}`}
            className="flex items-center gap-2 text-sm"
          >
            <input
              id={`${id}-${every}`}
              type="radio"
              name={id}
              checked={all === every}
              onChange={() => onModels(every ? [...named, "*"] : named)}
              className="size-4 accent-accent"
            />
            {t(every ? "label.allModels" : "access.someModels")}
          </label>
        ))}
      </div>
      {!all && (
        <div className="pl-6">
          <TokensField
            label={t("access.modelAdd")}
            values={named}
            onValues={onModels}
            suggestions={known.map((model) => model.id)}
          />
        </div>
      )}
    </fieldset>
  )
}
