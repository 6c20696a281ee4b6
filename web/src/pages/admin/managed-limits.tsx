import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { UserRound } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { groupQuery, membersQuery, serviceKeysQuery } from "../../lib/queries.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { KeyHint } from "../account/key-cells.tsx"
import { KeyFacts, MissingKey } from "../account/key-facts.tsx"
import { LimitPanel } from "../limits/limit-panel.tsx"

/** The link takes the group's ID from the page's own path. */
const GroupLink = ({ groupId }: { groupId: string }) => {
  const { data } = useQuery(groupQuery(groupId))
  return <BackLink to="/account/groups/$groupId">{data?.name ?? t("label.group")}</BackLink>
}

/** The limits of a member, as the group's managers see them. */
export const ManagedMemberPage = () => {
  const { groupId = "", userId = "" } = useParams({ strict: false })
  const members = useQuery(membersQuery(groupId, { id: userId }))
  const [member] = members.data?.items ?? []
  return (
    <Page
      title={member?.name ?? t("groupRole.member")}
      lead={member?.email}
      breadcrumb={<GroupLink groupId={groupId} />}
      narrow
    >
      <QueryResult query={members} rows={3}>
        {({ items: [found] }) =>
          found ? (
            <LimitPanel
              target={{ type: "user", id: found.id }}
              groupId={groupId}
              lead={t("limits.memberLead")}
            />
          ) : (
            <EmptyState icon={UserRound} title={t("limits.memberGone")} />
          )
        }
      </QueryResult>
    </Page>
  )
}

/** A service key with its limits, as the group's managers see it. */
export const ManagedKeyPage = () => {
  const { groupId = "", keyId = "" } = useParams({ strict: false })
  const keys = useQuery(serviceKeysQuery(groupId))
  const key = keys.data?.find(({ id }) => id === keyId)
  return (
    <Page
      title={key?.name ?? t("label.apiKey")}
      lead={key && <KeyHint {...key} />}
      breadcrumb={<GroupLink groupId={groupId} />}
      narrow
    >
      <QueryResult query={keys} rows={5}>
        {() =>
          key ? (
            <>
              <KeyFacts apiKey={key} />
              <LimitPanel target={{ type: "key", id: key.id }} groupId={groupId} />
            </>
          ) : (
            <MissingKey />
          )
        }
      </QueryResult>
    </Page>
  )
}
