import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { RotateCw } from "lucide-react"
import type { SignOnProblem } from "../../../../server/src/sso/schema.ts"
import { t } from "../../i18n/translate.ts"
import { configQuery, sessionQuery, signOnUrl } from "../../lib/session.ts"
import { ButtonAnchor, ButtonLink } from "../../ui/button.tsx"
import { SignedOutLayout } from "./signed-out-layout.tsx"

const route = getRouteApi("/sign-in/problem")

/** Whether trying again may help, by problem. */
const problems: Record<SignOnProblem, boolean> = {
  unknown_provider: false,
  provider_unreachable: true,
  provider_refused: true,
  client_refused: false,
  invalid_answer: true,
  expired: true,
  deactivated: false,
  no_account: false,
  no_administrator: false,
  email_missing: false,
  email_unverified: true,
  domain_not_allowed: true,
  link_needed: false,
  already_linked: false,
  ambiguous: false,
  session_changed: false,
  unavailable: true,
}

const isProblem = (text: string | undefined): text is SignOnProblem =>
  text !== undefined && Object.hasOwn(problems, text)

/** Why signing in with a provider failed, and what to do. */
export const SignInProblemPage = () => {
  const { problem: problemParam, provider: name, request } = route.useSearch()
  const { data: config } = useQuery(configQuery)
  const { data: session } = useQuery(sessionQuery)
  const problem = isProblem(problemParam) ? problemParam : "unavailable"
  const knownProvider = config?.sign_on.find((one) => one.name === name)
  const provider = knownProvider?.label ?? t("signOn.title")
  return (
    <SignedOutLayout
      title={t(`problem.${problem}`, { provider })}
      lead={session ? t("problem.leadIn") : t("problem.lead")}
    >
      <p role="alert" className="text-sm">
        {t(`problem.${problem}.do`, { provider })}
      </p>
      <div className="flex flex-wrap gap-2">
        {knownProvider && problems[problem] && !session && (
          <ButtonAnchor variant="primary" icon={RotateCw} href={signOnUrl(knownProvider.name)}>
            {t("action.retry")}
          </ButtonAnchor>
        )}
        {session ? (
          <ButtonLink to="/account">{t("problem.toAccount")}</ButtonLink>
        ) : (
          <ButtonLink to="/sign-in">{t("problem.toSignIn")}</ButtonLink>
        )}
      </div>
      <p className="text-xs break-words text-muted">
        {t("problem.admins", { request: request ?? "–", problem })}
      </p>
    </SignedOutLayout>
  )
}
