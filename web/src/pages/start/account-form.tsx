import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { SignedIn } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { checkSession } from "../../lib/session.ts"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { SubmitForm } from "../../ui/submit-form.tsx"
import { AccountFields } from "../account/account-fields.tsx"

interface AccountFormProps {
  action: string
  /** Whether creating the first account requires the code from the gateway's log. */
  needsSetupCode?: boolean
  onDone: (signedIn: SignedIn) => void
}

/** A form to create an account; the first one becomes the administrator. */
export const AccountForm = ({ action, needsSetupCode = false, onDone }: AccountFormProps) => {
  const [values, setValues] = useState({ name: "", email: "", password: "", setup_code: "" })
  const set = (changes: Partial<typeof values>): void => setValues({ ...values, ...changes })
  const signUp = useMutation({
    mutationFn: () => api.post("/api/v1/auths/signup", { body: values }),
    onSuccess: async (signedIn) => {
      await checkSession()
      onDone(signedIn)
    },
  })
  const { error } = signUp
  return (
    <SubmitForm mutation={signUp} action={action} hasFieldErrors>
      <AccountFields values={values} set={set} error={error} owner="mine" />
      {needsSetupCode && (
        <TextField
          label={t("welcome.setupCode")}
          help={t("welcome.setupCodeHelp")}
          value={values.setup_code}
          onValue={(setup_code) => set({ setup_code })}
          error={fieldError(error, "setup_code")}
          placeholder="XXXX-XXXX-XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
      )}
    </SubmitForm>
  )
}
