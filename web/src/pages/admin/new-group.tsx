import type { Group } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { TextAreaField, TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { BackLink } from "../../ui/page.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { type FormState, useCreateForm } from "../../ui/use-form.ts"

interface GroupFieldsProps {
  form: FormState<Pick<Group, "name" | "description" | "pays">>
  /** The identity provider manages the name. */
  provisioned?: boolean
}

export const GroupFields = ({ form, provisioned = false }: GroupFieldsProps) => (
  <>
    <TextField
      label={t("label.name")}
      help={provisioned && t("provisioning.kept")}
      disabled={provisioned}
      {...bindField(form, "name")}
      autoComplete="off"
    />
    <TextAreaField label={t("label.description")} {...bindField(form, "description")} />
    <SwitchField
      label={t("groups.pays")}
      help={t("groups.paysHelp")}
      checked={form.values.pays}
      onValue={(pays) => form.set({ pays })}
    />
  </>
)

export const NewGroupPage = () => {
  const form = useCreateForm({
    initial: { name: "", description: "", pays: true },
    create: (body) => api.post("/api/v1/groups/create", { body }),
    invalidates: [["groups"]],
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/admin/groups/$groupId",
        params: { groupId: id },
        ignoreBlocker: true,
      }),
  })
  return (
    <CreatePage
      title={t("groups.create")}
      lead={t("groups.lead")}
      breadcrumb={<BackLink to="/admin/groups">{t("label.groups")}</BackLink>}
      form={form}
    >
      <GroupFields form={form} />
    </CreatePage>
  )
}
