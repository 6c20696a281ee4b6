import { useQuery } from "@tanstack/react-query"
import { KeyRound } from "lucide-react"
import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { toOnePage } from "../../lib/list-result.ts"
import { keysQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { Section } from "../../ui/page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { KeySnippets } from "../models/key-snippets.tsx"

export const KeysPage = () => {
  const { data, error, refetch } = useQuery(keysQuery)
  return (
    <ListPage
      title={t("label.apiKeys")}
      lead={t("keys.lead")}
      result={toOnePage({ data: data?.toReversed(), error, refetch })}
      create={{ to: "/account/keys/new", label: t("keys.create") }}
      icon={KeyRound}
      none={{ title: t("keys.none"), help: t("keys.noneHelp") }}
      columns={columns()}
    >
      <Section
        title={t("keys.use")}
        lead={t("keys.useLead")}
        action={<ButtonLink to="/account/programs">{t("programs.title")}</ButtonLink>}
      >
        <KeySnippets secret="$PORTICO_API_KEY" />
      </Section>
    </ListPage>
  )
}

const columns = (): Column<ApiKey>[] => [
  {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: ({ name, hint }) => <NameCell detail={<code>sk-…{hint}</code>}>{name}</NameCell>,
  },
  { id: "scope", header: t("keys.scope"), belowName: "plain", cell: scopeOf },
  {
    id: "used",
    header: t("keys.used"),
    belowName: "labeled",
    cell: (key) => <Time at={key.last_used_at} />,
  },
  {
    id: "created",
    header: t("label.created"),
    wideOnly: true,
    cell: (key) => <Time at={key.created_at} />,
  },
  { id: "expires", header: t("label.expires"), belowName: "labeled", cell: expiryOf },
  { id: "revoke", header: "", align: "right", cell: (key) => <RevokeButton apiKey={key} /> },
]

const scopeOf = ({ allowed_models: models, allowed_routes: routes }: ApiKey) => (
  <span title={[...(models ?? []), ...(routes ?? [])].join("\n")}>
    {models ? t("objects.count.model", { count: models.length }) : t("label.allModels")}
    {" · "}
    {routes ? t("keys.someRoutes", { count: routes.length }) : t("keys.allRoutes")}
  </span>
)

const expiryOf = ({ expires_at: at }: ApiKey) => {
  if (at !== null && at * 1000 < Date.now()) return <Badge tone="warn">{t("keys.expired")}</Badge>
  return <Time at={at} />
}

const RevokeButton = ({ apiKey: { id, name } }: { apiKey: ApiKey }) => {
  const revoke = async (): Promise<void> => {
    await api.delete("/api/v1/auths/api_keys/:id", { params: { id } })
    await invalidateQueries([keysQuery.queryKey])
  }
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
      onConfirm={revoke}
    >
      {t("keys.revokeHelp")}
    </ConfirmTrigger>
  )
}
