import { useMutation, useQuery } from "@tanstack/react-query"
import { useLocation, useRouter } from "@tanstack/react-router"
import { useState } from "react"
import type { OpenedInvitation } from "../../../../server/src/auth/invitation-schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatDate } from "../../lib/format.ts"
import { checkSession, sessionQuery, signOut } from "../../lib/session.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SubmitForm } from "../../ui/submit-form.tsx"
import { AccountFields } from "../account/account-fields.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

/** Where an invitation's link leads: its recipient creates an account. */
export const InvitePage = () => {
  const token = useLocation({ select: ({ hash }) => hash })
  const { data: session } = useQuery(sessionQuery)
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => api.post("/api/v1/invitations/open", { body: { token } }),
    // Accepting signs in and leaves the page, which takes the token out of the address.
    enabled: token !== "" && !session,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (session) return <AlreadySignedIn email={session.user.email} />
  if (token === "") return <NotOpen state="incomplete" />
  if (invitation.data && invitation.data.state !== "open")
    return <NotOpen state={invitation.data.state} />
  return (
    <SignedOutLayout
      title={t("invite.title")}
      lead={invitation.data && t("invite.lead", { date: formatDate(invitation.data.expires_at) })}
    >
      <QueryResult query={invitation} rows={4}>
        {({ email }) => <AcceptForm token={token} fixedEmail={email} />}
      </QueryResult>
    </SignedOutLayout>
  )
}

const AlreadySignedIn = ({ email }: { email: string }) => (
  <SignedOutLayout title={t("invite.title")} lead={t("invite.signedIn", { email })}>
    <div className="flex flex-wrap gap-2">
      <ButtonLink to="/" variant="primary">
        {t("invite.continue")}
      </ButtonLink>
      <Button onClick={() => void signOut()}>{t("session.signOut")}</Button>
    </div>
  </SignedOutLayout>
)

type ClosedState = Exclude<OpenedInvitation["state"], "open"> | "incomplete"

const NotOpen = ({ state }: { state: ClosedState }) => (
  <SignedOutLayout title={t(`invite.${state}`)} lead={t(`invite.${state}.do`)}>
    <div>
      <ButtonLink to="/sign-in">{t("session.signIn")}</ButtonLink>
    </div>
  </SignedOutLayout>
)

const AcceptForm = ({ token, fixedEmail }: { token: string; fixedEmail: string | null }) => {
  const router = useRouter()
  const [values, setValues] = useState({ name: "", email: fixedEmail ?? "", password: "" })
  const accept = useMutation({
    mutationFn: () => api.post("/api/v1/invitations/accept", { body: { token, ...values } }),
    onSuccess: async () => {
      await checkSession()
      await router.navigate({ to: "/", replace: true })
    },
  })
  return (
    <SubmitForm mutation={accept} action={t("session.signUp")} hasFieldErrors>
      <AccountFields
        values={values}
        set={(changes) => setValues({ ...values, ...changes })}
        error={accept.error}
        owner="mine"
        hasFixedEmail={fixedEmail !== null}
      />
    </SubmitForm>
  )
}
