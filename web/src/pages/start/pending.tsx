import { useQuery } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { t } from "../../i18n/translate.ts"
import { sessionQuery, signOut } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

const pollMs = 5000

/** Shown while the account awaits approval; continues automatically once approved. */
export const PendingPage = () => {
  const router = useRouter()
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: pollMs })
  const role = session?.user.role
  useEffect(() => {
    if (role !== "pending") void router.navigate({ to: "/" })
  }, [role, router])
  return (
    <SignedOutLayout
      title={t("pending.title")}
      lead={t("pending.lead", { email: session?.user.email ?? "" })}
    >
      <Button onClick={() => void signOut()}>{t("session.signOut")}</Button>
    </SignedOutLayout>
  )
}
