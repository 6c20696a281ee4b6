import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import type { SignedIn } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError, api } from "../../lib/api.ts"
import { rememberSignedIn } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { PasswordField } from "./password-field.tsx"

interface AccountFormProps {
  action: string
  onDone: (signedIn: SignedIn) => void
}

/** Name, e-mail and password of a new account; the first one becomes the administrator's. */
export const AccountForm = ({ action, onDone }: AccountFormProps) => {
  const [values, setValues] = useState({ name: "", email: "", password: "" })
  const set = (changes: Partial<typeof values>): void => setValues({ ...values, ...changes })
  const signUp = useMutation({
    mutationFn: () => api.post<SignedIn>("/api/v1/auths/signup", values),
    onSuccess: (signedIn) => {
      rememberSignedIn(signedIn)
      onDone(signedIn)
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    signUp.mutate()
  }
  const { error } = signUp
  const worded = error instanceof ApiError && error.errors.length > 0
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TextField
        label={t("session.name")}
        help={t("session.nameHelp")}
        value={values.name}
        onValue={(name) => set({ name })}
        error={fieldError(error, "name")}
        autoComplete="name"
      />
      <TextField
        label={t("session.email")}
        type="email"
        value={values.email}
        onValue={(email) => set({ email })}
        error={fieldError(error, "email")}
        autoComplete="username"
      />
      <PasswordField
        label={t("session.password")}
        help={t("session.passwordHelp")}
        value={values.password}
        onValue={(password) => set({ password })}
        error={fieldError(error, "password")}
        autoComplete="new-password"
      />
      {error && !worded && <ErrorNote error={error} />}
      <Button type="submit" look="primary" busy={signUp.isPending}>
        {action}
      </Button>
    </form>
  )
}
