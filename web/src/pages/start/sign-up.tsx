import { Link, useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { AccountForm } from "./account-form.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

export const SignUpPage = () => {
  const router = useRouter()
  return (
    <SignedOutLayout title={t("session.signUp")} lead={t("session.signUpLead")}>
      <AccountForm
        action={t("session.signUp")}
        onDone={({ role }) => void router.navigate({ to: role === "pending" ? "/pending" : "/" })}
      />
      <p className="text-sm text-muted">
        {t("session.haveAccount")}{" "}
        <Link to="/sign-in" className="text-accent underline">
          {t("session.signIn")}
        </Link>
      </p>
    </SignedOutLayout>
  )
}
