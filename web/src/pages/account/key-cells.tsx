import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import type { Column } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"

/** The end of a key, by which it is recognized. */
export const KeyHint = ({ hint }: ApiKey) => <code>sk-…{hint}</code>

/** The models and paths that a key is limited to. */
export const KeyScope = ({ allowed_models: models, allowed_routes: routes }: ApiKey) => (
  <span title={[...(models ?? []), ...(routes ?? [])].join("\n")}>
    {models ? t("objects.count.model", { count: models.length }) : t("label.allModels")}
    {" · "}
    {routes ? t("keys.someRoutes", { count: routes.length }) : t("keys.allRoutes")}
  </span>
)

export const KeyExpiry = ({ expires_at: at }: ApiKey) => {
  if (at !== null && at * 1000 < Date.now()) return <Badge tone="warn">{t("keys.expired")}</Badge>
  return <Time at={at} />
}

export const expiryColumn = (): Column<ApiKey> => ({
  id: "expires",
  header: t("label.expires"),
  belowName: "labeled",
  cell: (key) => <KeyExpiry {...key} />,
})

interface RevokeButtonProps {
  name: string
  /** What the dialog says beside what revoking means. */
  help?: string
  onRevoke: () => Promise<void>
}

/** Revokes a key after a confirmation. */
export const RevokeButton = ({ name, help, onRevoke }: RevokeButtonProps) => {
  const title = t("keys.revokeOne", { name })
  return (
    <ConfirmTrigger
      trigger={
        <Button variant="danger" aria-label={title}>
          {t("action.revoke")}
        </Button>
      }
      title={title}
      action={t("keys.revoke")}
      danger
      onConfirm={onRevoke}
    >
      {help && `${help} `}
      {t("keys.revokeHelp")}
    </ConfirmTrigger>
  )
}
