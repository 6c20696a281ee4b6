import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { UsersRound } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { toOnePage } from "../../lib/list-result.ts"
import { ownGroupsQuery } from "../../lib/queries.ts"
import { ListPage } from "../../ui/list-page.tsx"

/** The user's groups, with links to those that the user manages. */
export const OwnGroupsPage = () => {
  const groups = useQuery(ownGroupsQuery)
  return (
    <ListPage
      title={t("label.groups")}
      lead={t("ownGroups.lead")}
      result={toOnePage(groups)}
      icon={UsersRound}
      none={{ title: t("ownGroups.none"), help: t("ownGroups.noneHelp") }}
      columns={[
        {
          id: "name",
          header: t("label.name"),
          grow: true,
          cell: ({ id, name, role }) =>
            role === "manager" ? (
              <Link to="/account/groups/$groupId" params={{ groupId: id }}>
                {name}
              </Link>
            ) : (
              name
            ),
        },
        {
          id: "role",
          header: t("user.role"),
          align: "right",
          cell: ({ role }) => t(`groupRole.${role}`),
        },
      ]}
    />
  )
}
