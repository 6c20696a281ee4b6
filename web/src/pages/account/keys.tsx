import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { KeyRound } from "lucide-react"
import { useMemo } from "react"
import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { toOnePage } from "../../lib/list-result.ts"
import { keysQuery, usageQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useCurrentUser, usePageSession } from "../../lib/session.ts"
import { lastDays } from "../../lib/utc-days.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { Section } from "../../ui/page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { KeySnippets } from "../models/key-snippets.tsx"
import { formatUsageCost } from "../usage/usage-measures.ts"
import { expiryColumn, KeyHint, KeyScope, RevokeButton } from "./key-cells.tsx"

export const KeysPage = () => {
  const { data, error, refetch } = useQuery(keysQuery)
  const costColumn = useCostColumn()
  return (
    <ListPage
      title={t("label.apiKeys")}
      lead={t("keys.lead")}
      result={toOnePage({ data: data?.toReversed(), error, refetch })}
      create={{ to: "/account/keys/new", label: t("keys.create") }}
      icon={KeyRound}
      none={{ title: t("keys.none"), help: t("keys.noneHelp") }}
      columns={columns(costColumn)}
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

const columns = (costColumn: readonly Column<ApiKey>[]): Column<ApiKey>[] => [
  {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: (key) => (
      <NameCell detail={<KeyHint {...key} />}>
        <Link to="/account/keys/$keyId" params={{ keyId: key.id }}>
          {key.name}
        </Link>
      </NameCell>
    ),
  },
  {
    id: "scope",
    header: t("keys.scope"),
    belowName: "plain",
    cell: (key) => <KeyScope {...key} />,
  },
  {
    id: "used",
    header: t("keys.used"),
    belowName: "labeled",
    cell: (key) => <Time at={key.last_used_at} />,
  },
  ...costColumn,
  {
    id: "created",
    header: t("label.created"),
    wideOnly: true,
    cell: (key) => <Time at={key.created_at} />,
  },
  expiryColumn(),
  {
    id: "revoke",
    header: "",
    align: "right",
    cell: ({ id, name }) => <RevokeButton name={name} onRevoke={() => revoke(id)} />,
  },
]

const costDays = 30

/** What each key cost lately, unless costs are hidden. */
const useCostColumn = (): Column<ApiKey>[] => {
  const { id } = useCurrentUser()
  const { show_cost } = usePageSession()
  const range = useMemo(() => lastDays(costDays), [])
  const { data } = useQuery({
    ...usageQuery({ ...range, group_by: "key", user_id: id }),
    enabled: show_cost,
  })
  if (!show_cost) return []
  return [
    {
      id: "cost",
      header: t("usage.recentCost", { count: costDays }),
      align: "right",
      belowName: "labeled",
      cell: (key) => {
        const usage = data?.items.find((item) => item.key === key.id)
        return (
          <Link to="/account/usage" search={{ key_id: key.id }} className="hover:underline">
            {data && formatUsageCost(usage ?? { cost: 0, unpriced: 0 })}
          </Link>
        )
      },
    },
  ]
}

const revoke = async (id: string): Promise<void> => {
  await api.delete("/api/v1/auths/api_keys/:id", { params: { id } })
  await invalidateQueries([keysQuery.queryKey])
}
