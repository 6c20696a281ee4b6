import { AlertDialog } from "@base-ui/react/alert-dialog"
import { useMutation, useQuery } from "@tanstack/react-query"
import { LogIn } from "lucide-react"
import { useRef, useState } from "react"
import { t } from "../i18n/translate.ts"
import { api } from "../lib/api.ts"
import { checkSession, configQuery, signOnUrl, useCurrentUser } from "../lib/session.ts"
import { ButtonAnchor } from "../ui/button.tsx"
import { PasswordField } from "../ui/password-field.tsx"
import { SubmitForm } from "../ui/submit-form.tsx"

/** Lets the user sign in again over the page, which stays as it is, after the session ended. */
export const SignInAgain = () => {
  const { email, role } = useCurrentUser()
  const { data: config } = useQuery(configQuery)
  const popup = useRef<HTMLDivElement>(null)
  const policy = config?.password_sign_in
  const hasPassword = policy === "on" || (policy === "administrators" && role === "admin")
  return (
    <AlertDialog.Root open>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-60 bg-shade" />
        <AlertDialog.Popup
          ref={popup}
          // Not the password: the user may be typing a message at this moment.
          initialFocus={popup}
          className="fixed top-1/2 left-1/2 z-60 flex max-h-[calc(100vh-2rem)] w-[min(25rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float outline-none"
        >
          <div>
            <AlertDialog.Title className="text-base font-semibold">
              {t("session.endedTitle")}
            </AlertDialog.Title>
            <AlertDialog.Description className="mt-1 text-sm text-muted">
              {t("session.endedLead", { email })}
            </AlertDialog.Description>
          </div>
          {config?.sign_on.map(({ name, label }) => (
            <ButtonAnchor
              key={name}
              variant={hasPassword ? "secondary" : "primary"}
              icon={LogIn}
              href={signOnUrl(name, "/signed-in")}
              newTab
            >
              {t("session.with", { provider: label })}
            </ButtonAnchor>
          ))}
          {hasPassword && <PasswordForm email={email} />}
          <p className="text-center text-sm text-muted">
            <a href="/sign-in" className="rounded-sm underline hover:text-text">
              {t("session.someoneElse")}
            </a>
          </p>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

const PasswordForm = ({ email }: { email: string }) => {
  const [password, setPassword] = useState("")
  const signIn = useMutation({
    mutationFn: () => api.post("/api/v1/auths/signin", { body: { email, password } }),
    onSuccess: checkSession,
  })
  return (
    <SubmitForm mutation={signIn} action={t("session.signIn")}>
      {/* Tells password managers which password to offer. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={t("label.password")}
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
      />
    </SubmitForm>
  )
}
