import { Boxes } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"

/** Shown where models would be listed; administrators can connect a provider. */
export const NoModels = () => {
  const { role } = useCurrentUser()
  return role === "admin" ? (
    <EmptyState
      icon={Boxes}
      title={t("models.none")}
      action={
        <ButtonLink to="/connect" variant="primary">
          {t("source.title")}
        </ButtonLink>
      }
    >
      {t("models.noneAdmin")}
    </EmptyState>
  ) : (
    <EmptyState icon={Boxes} title={t("models.none")}>
      {t("models.noneUser")}
    </EmptyState>
  )
}
