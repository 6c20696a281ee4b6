import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { t } from "../../i18n/translate.ts"
import { currentUserQuery, signOut } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

const pollMs = 5000

/** Shown while the account awaits approval; continues automatically once approved. */
export const PendingPage = () => {
  const router = useRouter()
  const { data: me } = useQuery({ ...currentUserQuery, refetchInterval: pollMs })
  const role = me?.role
  useEffect(() => {
    if (role !== "pending") void router.navigate({ to: "/" })
  }, [role, router])
  const leave = async (): Promise<void> => {
    await signOut()
    await router.navigate({ to: "/sign-in" })
  }
  return (
    <SignedOutLayout
      title={t("pending.title")}
      lead={t("pending.lead", { email: me?.email ?? "" })}
    >
      <Button onClick={() => void leave()}>{t("session.signOut")}</Button>
    </SignedOutLayout>
  )
}
