import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { UsersRound } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { groupsQuery } from "../../lib/queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge } from "../../ui/badge.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"

export const GroupsPage = () => {
  const list = useListSearch({ order_by: "name", direction: "asc" })
  const groups = useQuery(groupsQuery(list.params))
  return (
    <ListPage
      title={t("label.groups")}
      lead={t("groups.lead")}
      list={list}
      result={groups}
      searchLabel={t("groups.search")}
      create={{ to: "/admin/groups/new", label: t("groups.create") }}
      icon={UsersRound}
      none={{ title: t("groups.none"), help: t("groups.noneHelp") }}
      columns={[
        {
          id: "name",
          header: t("label.name"),
          sort: "name",
          grow: true,
          cell: ({ id, name, description, source }) => (
            <NameCell detail={description}>
              <Link to="/admin/groups/$groupId" params={{ groupId: id }}>
                {name}
              </Link>{" "}
              {source !== "local" && <Badge>{t(`source.${source}`)}</Badge>}
            </NameCell>
          ),
        },
        {
          id: "created",
          header: t("label.created"),
          sort: "created_at",
          wideOnly: true,
          cell: ({ created_at }) => <Time at={created_at} />,
        },
        {
          id: "members",
          header: t("groups.members"),
          align: "right",
          cell: ({ member_count }) => member_count,
        },
      ]}
    />
  )
}
