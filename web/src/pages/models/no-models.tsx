import { Boxes } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { type CurrentUser, useCurrentUser } from "../../lib/session.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"

/** What to say where models would be listed; administrators can connect a provider. */
export const describeNoModels = (role: CurrentUser["role"]) => ({
  title: t("models.none"),
  help: t(role === "admin" ? "models.noneAdmin" : "models.noneUser"),
  action: role === "admin" && (
    <ButtonLink to="/connect" variant="primary">
      {t("action.connectModels")}
    </ButtonLink>
  ),
})

/** Shown where models would be offered. */
export const NoModels = () => {
  const { title, help, action } = describeNoModels(useCurrentUser().role)
  return (
    <EmptyState icon={Boxes} title={title} action={action}>
      {help}
    </EmptyState>
  )
}
