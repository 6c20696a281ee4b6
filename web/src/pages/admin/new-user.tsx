import type { AddUser } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { bindField } from "../../ui/form.tsx"
import { BackLink } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { AccountFields } from "../account/account-fields.tsx"
import { RoleField } from "./role-field.tsx"

const emptyValues: AddUser = { name: "", email: "", password: "", role: "user" }

export const NewUserPage = () => {
  const form = useCreateForm({
    initial: emptyValues,
    create: (body) => api.post("/api/v1/auths/add", { body }),
    invalidates: [["users"]],
    onCreated: ({ id }, router) =>
      router.navigate({ to: "/admin/users/$userId", params: { userId: id }, ignoreBlocker: true }),
  })
  const { values, set, error } = form
  return (
    <CreatePage
      title={t("users.add")}
      lead={t("users.addLead")}
      breadcrumb={<BackLink to="/admin/users">{t("label.users")}</BackLink>}
      form={form}
    >
      <AccountFields values={values} set={set} error={error} owner="theirs" />
      <RoleField {...bindField(form, "role")} />
    </CreatePage>
  )
}
