import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { KeyRound, Plus } from "lucide-react"
import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { serviceKeysQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { expiryColumn, KeyHint, KeyScope, RevokeButton } from "../account/key-cells.tsx"
import { type GroupArea, groupPaths } from "./group-paths.ts"

interface ServiceKeysProps {
  groupId: string
  area: GroupArea
}

/** The service keys of a group, with a link to the page that creates one. */
export const ServiceKeys = ({ groupId, area }: ServiceKeysProps) => {
  const keys = useQuery(serviceKeysQuery(groupId))
  return (
    <Section
      title={t("label.serviceKeys")}
      lead={t("serviceKeys.lead")}
      action={
        <ButtonLink to={groupPaths[area].newKey} params={{ groupId }} icon={Plus}>
          {t("serviceKeys.create")}
        </ButtonLink>
      }
    >
      <QueryResult query={keys} rows={2}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={KeyRound} title={t("serviceKeys.none")}>
              {t("serviceKeys.noneHelp")}
            </EmptyState>
          ) : (
            <Table
              label={t("label.serviceKeys")}
              items={items.toReversed()}
              idOf={({ id }) => id}
              columns={columns(groupId, area)}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

const columns = (groupId: string, area: GroupArea): Column<ApiKey>[] => [
  {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: (key) => (
      <NameCell
        detail={
          <>
            <KeyHint {...key} /> · <KeyScope {...key} />
          </>
        }
      >
        {area === "admin" ? (
          <Link to="/admin/keys/$keyId" params={{ keyId: key.id }}>
            {key.name}
          </Link>
        ) : (
          <Link to="/account/groups/$groupId/keys/$keyId" params={{ groupId, keyId: key.id }}>
            {key.name}
          </Link>
        )}
      </NameCell>
    ),
  },
  {
    id: "used",
    header: t("label.lastUsed"),
    belowName: "labeled",
    cell: (key) => <Time at={key.last_used_at} />,
  },
  expiryColumn(),
  {
    id: "revoke",
    header: "",
    align: "right",
    cell: ({ id, name }) => <RevokeButton name={name} onRevoke={() => revoke(groupId, id)} />,
  },
]

const revoke = async (groupId: string, keyId: string): Promise<void> => {
  await api.delete("/api/v1/groups/:id/keys/:key_id", { params: { id: groupId, key_id: keyId } })
  await invalidateQueries([serviceKeysQuery(groupId).queryKey, ["keys"]])
}
