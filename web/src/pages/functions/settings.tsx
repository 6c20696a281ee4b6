import { useQuery } from "@tanstack/react-query"
import { SlidersHorizontal } from "lucide-react"
import type { FunctionValves } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Form, fieldError } from "../../ui/form.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { valvesQuery } from "./function-queries.ts"
import { OpenCodeLink } from "./open-code-link.tsx"
import { SettingField, type SettingValue } from "./setting-field.tsx"
import { useFunction } from "./use-function.ts"

/** The function's settings, as a form generated from their descriptions. */
export const SettingsPart = () => {
  const { id, version } = useFunction()
  const valves = useQuery(valvesQuery(id))
  return (
    <QueryResult query={valves} rows={5}>
      {(shown) =>
        Object.keys(shown.settings).length === 0 ? (
          <EmptyState icon={SlidersHorizontal} title={t("values.none")} action={<OpenCodeLink />}>
            {t("values.noneHelp")}
          </EmptyState>
        ) : (
          <SettingsForm key={version} id={id} valves={shown} />
        )
      }
    </QueryResult>
  )
}

/** Only changed values, so that a secret's mask is never sent as its value. */
const changed = (before: Record<string, SettingValue>, after: Record<string, SettingValue>) =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name]))

const SettingsForm = ({ id, valves }: { id: string; valves: FunctionValves }) => {
  const form = useEditForm({
    object: valves,
    valuesOf: ({ values }: Pick<FunctionValves, "values">): Record<string, SettingValue> => values,
    save: (values, saved) =>
      api.post("/api/v1/functions/id/:id/valves", {
        params: { id },
        body: { values: changed(saved, values) },
      }),
    onSaved: (result) => queryClient.setQueryData(valvesQuery(id).queryKey, result),
  })
  const { values, saved, set, error } = form
  return (
    <div className="max-w-[42rem]">
      <Form form={form} fields={["values"]}>
        <p className="text-sm text-muted">{t("values.lead")}</p>
        {Object.entries(valves.settings).map(([name, shape]) => (
          <SettingField
            key={name}
            name={name}
            shape={shape}
            value={values[name] ?? null}
            stored={saved[name] ?? null}
            onValue={(value) => set({ [name]: value })}
            error={fieldError(error, `values.${name}`)}
          />
        ))}
      </Form>
    </div>
  )
}
