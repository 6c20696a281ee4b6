import type { LimitTarget } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { fieldError } from "../../ui/form.tsx"
import { BackLink } from "../../ui/page.tsx"
import { SelectField } from "../../ui/select.tsx"
import { type FormState, useCreateForm } from "../../ui/use-form.ts"
import { LimitFields, limitErrorFields } from "../limits/limit-fields.tsx"
import { defaultLimitValues, type LimitValues, toNewLimit } from "../limits/limit-values.ts"
import { TargetField, targetTypes } from "./limit-target-field.tsx"

interface NewLimitValues extends LimitValues {
  type: LimitTarget["type"]
  /** Empty while nothing is chosen. */
  id: string
}

const toTarget = ({ type, id }: NewLimitValues): LimitTarget =>
  type === "everyone" || id === "" ? { type } : { type, id }

export const NewLimitPage = () => {
  const form = useCreateForm<NewLimitValues, unknown>({
    initial: { type: "group", id: "", ...defaultLimitValues("group") },
    create: (values) => api.post("/api/v1/limits", { body: toNewLimit(toTarget(values), values) }),
    invalidates: [["limits"]],
    onCreated: (_created, router) => router.navigate({ to: "/admin/limits", ignoreBlocker: true }),
  })
  return (
    <CreatePage
      title={t("limits.create")}
      lead={t("limits.newLead")}
      breadcrumb={<BackLink to="/admin/limits">{t("label.limits")}</BackLink>}
      form={form}
      fields={["target", ...limitErrorFields]}
    >
      <Target form={form} />
      <LimitFields {...form} hasModel={form.values.type !== "model"} />
    </CreatePage>
  )
}

const Target = ({ form }: { form: FormState<NewLimitValues> }) => {
  const { type, id, amount } = form.values
  const wrong = fieldError(form.error, "target")
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      <SelectField
        label={t("limits.target")}
        value={type}
        onValue={(next) =>
          form.set({ type: next, id: "", ...(amount === null && defaultLimitValues(next)) })
        }
        options={targetTypes.map((one) => ({ value: one, label: t(`limits.type.${one}`) }))}
        error={type === "everyone" ? wrong : undefined}
        {...(type === "everyone" && { help: t("limits.everyoneHelp") })}
      />
      {type !== "everyone" && (
        <TargetField
          key={type}
          type={type}
          id={id}
          onId={(next) => form.set({ id: next })}
          error={wrong && (id === "" ? t(`limits.find.${type}`) : wrong)}
        />
      )}
    </div>
  )
}
