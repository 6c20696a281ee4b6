import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { groupQuery } from "../../lib/queries.ts"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { GroupMembers } from "./group-members.tsx"
import { ServiceKeys } from "./service-keys.tsx"

/** A group as its managers see it. */
export const ManagedGroupPage = () => {
  const { groupId = "" } = useParams({ strict: false })
  const group = useQuery(groupQuery(groupId))
  return (
    <Page
      title={group.data?.name ?? t("label.group")}
      lead={group.data?.description}
      breadcrumb={<BackLink to="/account/groups">{t("label.groups")}</BackLink>}
      narrow
    >
      <QueryResult query={group}>
        {({ id, source }) => (
          <>
            <GroupMembers key={id} groupId={id} provisioned={source === "scim"} area="account" />
            <ServiceKeys groupId={id} area="account" />
          </>
        )}
      </QueryResult>
    </Page>
  )
}
