import { useQuery, useQueryClient } from "@tanstack/react-query"
import { KeyRound, Plus } from "lucide-react"
import { useState } from "react"
import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { keysQuery } from "../../lib/queries.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { KeySnippets } from "../models/key-snippets.tsx"

const CreateKey = () => (
  <ButtonLink to="/account/keys/new" variant="primary" icon={Plus}>
    {t("keys.create")}
  </ButtonLink>
)

export const KeysPage = () => {
  const keys = useQuery(keysQuery)
  return (
    <Page
      title={t("keys.title")}
      lead={t("keys.lead")}
      action={keys.data?.length !== 0 && <CreateKey />}
    >
      <QueryResult query={keys} rows={4}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={KeyRound} title={t("keys.none")} action={<CreateKey />}>
              {t("keys.noneHelp")}
            </EmptyState>
          ) : (
            <KeyTable items={items} />
          )
        }
      </QueryResult>
      <Section
        title={t("keys.use")}
        lead={t("keys.useLead")}
        action={<ButtonLink to="/account/programs">{t("programs.title")}</ButtonLink>}
      >
        <KeySnippets secret="$PORTICO_API_KEY" />
      </Section>
    </Page>
  )
}

const KeyTable = ({ items }: { items: readonly ApiKey[] }) => {
  const client = useQueryClient()
  const [revoked, setRevoked] = useState<ApiKey | null>(null)
  const revoke = async ({ id }: ApiKey): Promise<void> => {
    await api.delete("/api/v1/auths/api_keys/:id", { params: { id } })
    await client.invalidateQueries({ queryKey: keysQuery.queryKey })
  }
  return (
    <>
      <Table
        label={t("keys.title")}
        items={[...items].reverse()}
        idOf={({ id }) => id}
        columns={[
          {
            id: "name",
            header: t("keys.name"),
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
            header: t("keys.created"),
            wideOnly: true,
            cell: (key) => <Time at={key.created_at} />,
          },
          { id: "expires", header: t("keys.expires"), belowName: "labeled", cell: expiryOf },
          {
            id: "revoke",
            header: "",
            align: "right",
            cell: (key) => (
              <Button
                variant="danger"
                aria-label={t("keys.revokeOne", { name: key.name })}
                onClick={() => setRevoked(key)}
              >
                {t("keys.revokeShort")}
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        open={revoked !== null}
        onClose={() => setRevoked(null)}
        title={t("keys.revokeOne", { name: revoked?.name ?? "" })}
        action={t("keys.revoke")}
        danger
        onConfirm={() => revoked && revoke(revoked)}
      >
        {t("keys.revokeHelp")}
      </ConfirmDialog>
    </>
  )
}

const scopeOf = ({ allowed_models: models, allowed_routes: routes }: ApiKey) => (
  <span title={[...(models ?? []), ...(routes ?? [])].join("\n")}>
    {models ? t("keys.someModels", { count: models.length }) : t("keys.allModels")}
    {" · "}
    {routes ? t("keys.someRoutes", { count: routes.length }) : t("keys.allRoutes")}
  </span>
)

const expiryOf = ({ expires_at: at }: ApiKey) => {
  if (at !== null && at * 1000 < Date.now()) return <Badge tone="warn">{t("keys.expired")}</Badge>
  return <Time at={at} />
}
