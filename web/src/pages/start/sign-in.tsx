import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { LogIn } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { checkSession, configQuery, signOnUrl } from "../../lib/session.ts"
import { Button, ButtonAnchor } from "../../ui/button.tsx"
import { TextField } from "../../ui/field.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import { SubmitForm } from "../../ui/submit-form.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

const route = getRouteApi("/sign-in")

export const SignInPage = () => {
  const { back } = route.useSearch()
  const { data: config } = useQuery(configQuery)
  const [isPasswordRequested, setPasswordRequested] = useState(false)
  const providers = config?.sign_on ?? []
  const policy = config?.password_sign_in ?? "on"
  const lead = config?.signup ? null : t("session.lead")
  const showsPassword = policy === "on" || isPasswordRequested
  return (
    <SignedOutLayout
      title={t("session.signIn")}
      lead={policy === "on" ? lead : t("session.leadProvider")}
    >
      {providers.map(({ name, label }) => (
        <ButtonAnchor
          key={name}
          variant={policy === "on" ? "secondary" : "primary"}
          icon={LogIn}
          href={signOnUrl(name, back)}
        >
          {t("session.with", { provider: label })}
        </ButtonAnchor>
      ))}
      {providers.length > 0 && showsPassword && <OrDivider />}
      {policy === "administrators" && !isPasswordRequested && (
        <Button variant="quiet" onClick={() => setPasswordRequested(true)}>
          {t("session.byPassword")}
        </Button>
      )}
      {showsPassword && (
        <PasswordForm back={back} autoFocus={providers.length === 0 || isPasswordRequested} />
      )}
      {config?.signup && (
        <p className="text-sm text-muted">
          {t("session.noAccount")}{" "}
          <Link to="/sign-up" className="text-accent underline">
            {t("session.signUp")}
          </Link>
        </p>
      )}
    </SignedOutLayout>
  )
}

const OrDivider = () => (
  <div className="flex items-center gap-3 text-xs text-muted">
    <span aria-hidden className="h-px flex-1 bg-line" />
    {t("session.or")}
    <span aria-hidden className="h-px flex-1 bg-line" />
  </div>
)

interface PasswordFormProps {
  back: string | undefined
  autoFocus: boolean
}

const PasswordForm = ({ back, autoFocus }: PasswordFormProps) => {
  const router = useRouter()
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const signIn = useMutation({
    mutationFn: () => api.post("/api/v1/auths/signin", { body: { email, password } }),
    onSuccess: async () => {
      await checkSession()
      await router.navigate({ href: back ?? "/", replace: true })
    },
  })
  return (
    <SubmitForm mutation={signIn} action={t("session.signIn")}>
      <TextField
        label={t("session.email")}
        type="email"
        value={email}
        onValue={setEmail}
        autoComplete="username"
        autoFocus={autoFocus}
      />
      <PasswordField
        label={t("label.password")}
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
      />
    </SubmitForm>
  )
}
