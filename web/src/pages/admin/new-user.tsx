import type { AddUser } from "../../../../server/src/auth/schema.ts"
import type { Role } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { CreatePage } from "../../ui/create-page.tsx"

import { BackLink } from "../../ui/page.tsx"
import { SelectField } from "../../ui/select.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { AccountFields } from "../account/account-fields.tsx"

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
      <RoleField value={values.role} onValue={(role) => set({ role })} />
    </CreatePage>
  )
}

interface RoleFieldProps {
  value: Role
  onValue: (role: Role) => void
  error?: string | undefined
}

export const RoleField = ({ value, onValue, error }: RoleFieldProps) => (
  <SelectField
    label={t("user.role")}
    help={t("user.roleHelp")}
    error={error}
    value={value}
    onValue={onValue}
    options={(["user", "admin", "pending"] as const).map((role) => ({
      value: role,
      label: t(`role.${role}`),
    }))}
  />
)
