import { t } from "../../i18n/translate.ts"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { PasswordField } from "../../ui/password-field.tsx"

interface AccountValues {
  name: string
  email: string
  password: string
}

interface AccountFieldsProps {
  values: AccountValues
  set: (changes: Partial<AccountValues>) => void
  error: unknown
  /** The browser may only autofill one's own data. */
  owner: "mine" | "theirs"
  hasFixedEmail?: boolean
}

/** Name, email, and password of an account. */
export const AccountFields = (props: AccountFieldsProps) => {
  const { values, set, error, owner, hasFixedEmail = false } = props
  const isOwn = owner === "mine"
  return (
    <>
      <TextField
        label={t("label.name")}
        value={values.name}
        onValue={(name) => set({ name })}
        error={fieldError(error, "name")}
        autoComplete={isOwn ? "name" : "off"}
        autoFocus
      />
      <TextField
        label={t("session.email")}
        type="email"
        value={values.email}
        onValue={(email) => set({ email })}
        error={fieldError(error, "email")}
        autoComplete={isOwn ? "username" : "off"}
        disabled={hasFixedEmail}
      />
      <PasswordField
        label={t("label.password")}
        help={t("session.passwordHelp")}
        value={values.password}
        onValue={(password) => set({ password })}
        error={fieldError(error, "password")}
        autoComplete="new-password"
      />
    </>
  )
}
