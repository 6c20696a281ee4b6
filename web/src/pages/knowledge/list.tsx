import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Library } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { type CollectionWithFiles, collectionsQuery } from "../../lib/knowledge-api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Status } from "../../ui/badge.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { describeReaders } from "../grants/access.ts"
import { ownerName } from "../ownership/owner-name.ts"
import { CollectionState } from "./file-states.tsx"

const readersOf = ({ access_grants, grant_count }: CollectionWithFiles): string =>
  describeReaders(
    access_grants.some(({ principal_id }) => principal_id === "*"),
    grant_count,
  )

/** `/knowledge`: the collections that the user may read. */
export const CollectionsPage = () => {
  const list = useListSearch({ order_by: "updated_at", direction: "desc" })
  const collections = useQuery(collectionsQuery(list.params))
  return (
    <ListPage
      title={t("label.knowledge")}
      lead={t("knowledge.lead")}
      label={t("label.collections")}
      list={list}
      result={collections}
      searchLabel={t("knowledge.searchLists")}
      create={{ to: "/knowledge/new", label: t("knowledge.create") }}
      icon={Library}
      none={{ title: t("knowledge.none"), help: t("knowledge.noneHelp") }}
      columns={[
        {
          id: "name",
          header: t("label.name"),
          sort: "name",
          grow: true,
          cell: ({ id, name, description }) => (
            <NameCell detail={description}>
              <Link to="/knowledge/$collectionId" params={{ collectionId: id }}>
                {name}
              </Link>
            </NameCell>
          ),
        },
        {
          id: "files",
          header: t("label.files"),
          align: "right",
          cell: ({ file_counts }) => formatNumber(file_counts.total),
        },
        {
          id: "state",
          header: t("label.status"),
          cell: ({ file_counts, lost_questions: count }) => (
            <span className="inline-flex flex-col">
              <CollectionState counts={file_counts} />
              {count > 0 && <Status tone="danger">{t("questions.gotWorse", { count })}</Status>}
            </span>
          ),
        },
        {
          id: "readers",
          header: t("label.access"),
          cell: readersOf,
          belowName: "plain",
        },
        {
          id: "owner",
          header: t("label.owner"),
          wideOnly: true,
          cell: (collection) => (
            <span className="block max-w-40 truncate">{ownerName(collection)}</span>
          ),
        },
        {
          id: "updated",
          header: t("label.updated"),
          sort: "updated_at",
          wideOnly: true,
          cell: ({ updated_at }) => <Time at={updated_at} />,
        },
      ]}
    />
  )
}
