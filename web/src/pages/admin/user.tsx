import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import type { User, UserChanges } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { userQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { bindField, Form, fieldError } from "../../ui/form.tsx"
import { BackLink, DefinitionList, Page, Section } from "../../ui/page.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { Time } from "../../ui/time.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { UserLinkedAccounts } from "../account/linked-accounts.tsx"
import { LimitPanel } from "../limits/limit-panel.tsx"
import { DeleteUserSection } from "../ownership/delete-user-section.tsx"
import { RecentUsage } from "../usage/recent-usage.tsx"
import { ReleaseEmail } from "./release-email.tsx"
import { RoleField } from "./role-field.tsx"

const route = getRouteApi("/inside/admin/users/$userId")

export const UserPage = () => {
  const { userId } = route.useParams()
  const me = useCurrentUser()
  const user = useQuery(userQuery(userId))
  return (
    <Page
      title={user.data?.name ?? t("label.user")}
      lead={user.data?.email}
      breadcrumb={<BackLink to="/admin/users">{t("label.users")}</BackLink>}
      narrow
    >
      <QueryResult query={user} rows={8}>
        {(data) => (
          <>
            <Details key={data.id} user={data} />
            <LimitPanel target={{ type: "user", id: data.id }} />
            <RecentUsage filter="user_id" id={data.id} />
            <UserLinkedAccounts userId={data.id} />
            <Password user={data} />
            <ReleaseEmail user={data} />
            {data.id !== me.id && <DeleteUserSection user={data} />}
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const updateUser = async (id: string, body: UserChanges): Promise<User> => {
  const saved = await api.post("/api/v1/users/:id/update", { params: { id }, body })
  queryClient.setQueryData(userQuery(id).queryKey, saved)
  void queryClient.invalidateQueries({ queryKey: ["users"] })
  return saved
}

const valuesOf = ({ name, email, role, active }: User) => ({ name, email, role, active })

const Details = ({ user }: { user: User }) => {
  const form = useEditForm({
    object: user,
    valuesOf,
    save: (values) => updateUser(user.id, values),
  })
  const provisioned = user.source === "scim"
  return (
    <Form form={form}>
      <TextField
        label={t("label.name")}
        help={provisioned && t("provisioning.nameKept")}
        {...bindField(form, "name")}
      />
      <TextField
        label={t("session.email")}
        help={provisioned && t("provisioning.kept")}
        disabled={provisioned}
        type="email"
        {...bindField(form, "email")}
      />
      <RoleField {...bindField(form, "role")} />
      <SwitchField
        label={t("user.isActive")}
        help={provisioned ? t("provisioning.activeKept") : t("user.activeHelp")}
        checked={form.values.active}
        onValue={(active) => form.set({ active })}
      />
      <DefinitionList
        rows={[
          [t("user.source"), t(`source.${user.source}`)],
          [t("label.created"), <Time key="created" at={user.created_at} />],
          [t("user.seen"), <Time key="seen" at={user.last_active_at} />],
        ]}
      />
    </Form>
  )
}

const Password = ({ user }: { user: User }) => {
  const [password, setPassword] = useState("")
  const update = useMutation({
    mutationFn: () => updateUser(user.id, { password }),
    onSuccess: () => setPassword(""),
  })
  const { error } = update
  const wrong = fieldError(error, "password")
  return (
    <Section title={t("user.reset")} lead={t("user.resetLead")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate()
        }}
      >
        <PasswordField
          label={t("account.newPassword")}
          help={t("session.passwordHelp")}
          value={password}
          onValue={setPassword}
          error={wrong}
          autoComplete="new-password"
        />
        {error && !wrong && <ErrorNote error={error} />}
        <div className="flex items-center gap-3">
          <Button type="submit" busy={update.isPending}>
            {t("user.resetAction")}
          </Button>
          <span role="status" className="text-xs text-muted">
            {update.isSuccess && t("user.resetDone")}
          </span>
        </div>
      </form>
    </Section>
  )
}
