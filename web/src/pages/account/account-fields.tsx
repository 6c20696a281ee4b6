import { t } from "../../i18n/translate.ts"
import { TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
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
  const { owner, hasFixedEmail = false } = props
  const isOwn = owner === "mine"
  return (
    <>
      <TextField
        label={t("label.name")}
        {...bindField(props, "name")}
        autoComplete={isOwn ? "name" : "off"}
        autoFocus
      />
      <TextField
        label={t("session.email")}
        type="email"
        {...bindField(props, "email")}
        autoComplete={isOwn ? "username" : "off"}
        disabled={hasFixedEmail}
      />
      <PasswordField
        label={t("label.password")}
        help={t("session.passwordHelp")}
        {...bindField(props, "password")}
        autoComplete="new-password"
      />
    </>
  )
}
