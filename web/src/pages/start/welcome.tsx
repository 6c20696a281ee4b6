import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { configQuery } from "../../lib/session.ts"
import { AccountForm } from "./account-form.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

/** First run: no account exists yet. */
export const WelcomePage = () => {
  const router = useRouter()
  const { data: config } = useQuery(configQuery)
  return (
    <SignedOutLayout title={t("welcome.title")} lead={t("welcome.lead")} step={0}>
      <AccountForm
        action={t("welcome.create")}
        needsSetupCode={config?.setup_code_required ?? false}
        onDone={() => void router.navigate({ to: "/connect" })}
      />
    </SignedOutLayout>
  )
}
