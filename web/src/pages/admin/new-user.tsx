import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import type { AddUser } from "../../../../server/src/auth/schema.ts"
import type { Role } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { Field } from "../../ui/field.tsx"
import { Form, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { Select } from "../../ui/select.tsx"
import { AccountFields } from "../account/account-fields.tsx"

const emptyValues: AddUser = { name: "", email: "", password: "", role: "user" }

export const NewUserPage = () => {
  const router = useRouter()
  const client = useQueryClient()
  const { values, set, dirty } = useDraft(emptyValues)
  const add = useMutation({
    mutationFn: () => api.post("/api/v1/auths/add", { body: values }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["users"] })
      await router.navigate({
        to: "/admin/users/$userId",
        params: { userId: id },
        ignoreBlocker: true,
      })
    },
  })
  const { error } = add
  return (
    <Page
      title={t("users.add")}
      lead={t("users.addLead")}
      breadcrumb={<BackLink to="/admin/users">{t("users.title")}</BackLink>}
      narrow
    >
      <Form
        dirty={dirty}
        always
        saving={add.isPending}
        saved={add.isSuccess}
        error={error}
        fields={["name", "email", "password", "role"]}
        onSave={add.mutate}
        action={t("users.add")}
      >
        <AccountFields values={values} set={set} error={error} owner="theirs" />
        <RoleField value={values.role} onValue={(role) => set({ role })} />
      </Form>
    </Page>
  )
}

interface RoleFieldProps {
  value: Role
  onValue: (role: Role) => void
  error?: string | undefined
}

export const RoleField = ({ value, onValue, error }: RoleFieldProps) => (
  <Field label={t("user.role")} help={t("user.roleHelp")} error={error}>
    {(controlProps) => (
      <Select
        {...controlProps}
        value={value}
        onValue={onValue}
        options={(["user", "admin", "pending"] as const).map((role) => ({
          value: role,
          label: t(`role.${role}`),
        }))}
      />
    )}
  </Field>
)
