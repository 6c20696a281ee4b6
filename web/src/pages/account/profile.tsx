import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useLocalStorage } from "../../browser/local-storage.ts"
import { chooseTheme, themes, useTheme } from "../../browser/theme.ts"
import { chooseLanguage, isLanguage, languages, t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { identitiesQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { sessionQuery, useCurrentUser } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { bindField, Form, fieldError } from "../../ui/form.tsx"
import { DefinitionList, Page, Section } from "../../ui/page.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import { SelectField } from "../../ui/select.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { OwnLinkedAccounts } from "./linked-accounts.tsx"
import { OwnStorage } from "./storage.tsx"

export const ProfilePage = () => (
  <Page title={t("account.profile")} lead={t("account.profileLead")} narrow>
    <Profile />
    <Appearance />
    <OwnStorage />
    <OwnLinkedAccounts />
    <OwnPassword />
  </Page>
)

const Profile = () => {
  const me = useCurrentUser()
  const form = useEditForm({
    object: me,
    valuesOf: ({ name }: { name: string }) => ({ name }),
    save: (body) => api.post("/api/v1/auths/update/profile", { body }),
    invalidates: [sessionQuery.queryKey],
  })
  return (
    <Form form={form}>
      <TextField label={t("label.name")} {...bindField(form, "name")} autoComplete="name" />
      <DefinitionList
        rows={[
          [t("session.email"), me.email],
          [t("user.role"), t(`role.${me.role}`)],
        ]}
      />
    </Form>
  )
}

const Appearance = () => {
  const theme = useTheme()
  const language = useLocalStorage("language") ?? ""
  return (
    <Section title={t("account.appearance")} lead={t("account.appearanceLead")}>
      <div className="grid gap-4 wide:grid-cols-2">
        <SelectField
          label={t("theme.title")}
          value={theme}
          onValue={chooseTheme}
          options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
        />
        <SelectField
          label={t("language.title")}
          value={language}
          onValue={(value) => void chooseLanguage(isLanguage(value) ? value : null)}
          options={[
            { value: "", label: t("language.browser") },
            ...Object.entries(languages).map(([value, { name }]) => ({ value, label: name })),
          ]}
        />
      </div>
    </Section>
  )
}

/** Accounts that only sign in with a provider have no password to change. */
const OwnPassword = () => {
  const { data } = useQuery(identitiesQuery(null))
  return data && (data.has_password || data.items.length === 0) ? <Password /> : null
}

const Password = () => {
  const [values, setValues] = useState({ password: "", new_password: "" })
  const change = useMutation({
    mutationFn: () => api.post("/api/v1/auths/update/password", { body: values }),
    onSuccess: () => {
      setValues({ password: "", new_password: "" })
      void queryClient.invalidateQueries()
    },
  })
  const { error } = change
  const wrong = fieldError(error, "new_password")
  return (
    <Section title={t("label.password")} lead={t("account.passwordLead")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <PasswordField
          label={t("account.oldPassword")}
          value={values.password}
          onValue={(password) => setValues({ ...values, password })}
          autoComplete="current-password"
        />
        <PasswordField
          label={t("account.newPassword")}
          help={t("session.passwordHelp")}
          value={values.new_password}
          onValue={(new_password) => setValues({ ...values, new_password })}
          error={wrong}
          autoComplete="new-password"
        />
        {error && !wrong && <ErrorNote error={error} />}
        <div className="flex items-center gap-3">
          <Button type="submit" busy={change.isPending}>
            {t("account.changePassword")}
          </Button>
          <span role="status" className="text-xs text-muted">
            {change.isSuccess && t("account.passwordChanged")}
          </span>
        </div>
      </form>
    </Section>
  )
}
