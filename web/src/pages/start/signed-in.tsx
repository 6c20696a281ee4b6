import { useEffect } from "react"
import { t } from "../../i18n/translate.ts"
import { SignedOutLayout } from "./signed-out-layout.tsx"

/** The end of a sign-in that another tab waits for; that tab continues by itself. */
export const SignedInPage = () => {
  // Browsers may keep a tab that a link opened.
  useEffect(() => window.close(), [])
  return <SignedOutLayout title={t("session.signedIn")} lead={t("session.signedInLead")} />
}
