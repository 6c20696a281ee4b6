import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { KeyRound } from "lucide-react"
import type { AdministeredKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { allKeysQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge } from "../../ui/badge.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { expiryColumn, KeyHint, KeyScope, RevokeButton } from "../account/key-cells.tsx"
import { UserLink } from "./user-link.tsx"

const unusedDays = ["30", "90", "365"] as const

/** The API's parameters for a choice of the filter by use: `never`, or a number of days. */
const paramsOfUse = (use: string | undefined) => {
  if (use === "never") return { never_used: "true" as const }
  const days = Number(use)
  return days > 0 ? { unused_for_days: days } : {}
}

/** The keys of all users and groups. */
export const AllKeysPage = () => {
  const list = useListSearch<"owner" | "use">({ order_by: "created_at", direction: "desc" })
  const { owner, use, ...params } = list.params
  const ownerType = owner === "user" || owner === "group" ? { owner_type: owner } : {}
  const keys = useQuery(allKeysQuery({ ...params, ...ownerType, ...paramsOfUse(use) }))
  return (
    <ListPage
      title={t("label.apiKeys")}
      lead={t("allKeys.lead")}
      list={list}
      result={keys}
      searchLabel={t("allKeys.search")}
      filters={[
        {
          name: "owner",
          label: t("label.owner"),
          options: [
            { value: "", label: t("allKeys.anyOwner") },
            { value: "user", label: t("allKeys.ofUsers") },
            { value: "group", label: t("label.serviceKeys") },
          ],
        },
        {
          name: "use",
          label: t("allKeys.use"),
          options: [
            { value: "", label: t("allKeys.anyUse") },
            ...unusedDays.map((days) => ({
              value: days,
              label: t("allKeys.unusedDays", { count: Number(days) }),
            })),
            { value: "never", label: t("allKeys.neverUsed") },
          ],
        },
      ]}
      icon={KeyRound}
      none={{ title: t("keys.none"), help: t("keys.noneHelp") }}
      columns={columns()}
    />
  )
}

export const KeyOwnerLink = ({ owner: { type, id, name } }: AdministeredKey) =>
  type === "user" ? (
    <UserLink id={id} className="hover:underline">
      {name}
    </UserLink>
  ) : (
    <>
      <Link to="/admin/groups/$groupId" params={{ groupId: id }} className="hover:underline">
        {name}
      </Link>{" "}
      <Badge>{t("label.group")}</Badge>
    </>
  )

const columns = (): Column<AdministeredKey>[] => [
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
        <Link to="/admin/keys/$keyId" params={{ keyId: key.id }}>
          {key.name}
        </Link>
      </NameCell>
    ),
  },
  {
    id: "owner",
    header: t("label.owner"),
    belowName: "labeled",
    cell: (key) => <KeyOwnerLink {...key} />,
  },
  {
    id: "used",
    header: t("label.lastUsed"),
    sort: "last_used_at",
    belowName: "labeled",
    cell: (key) => <Time at={key.last_used_at} />,
  },
  {
    id: "created",
    header: t("label.created"),
    sort: "created_at",
    wideOnly: true,
    cell: (key) => <Time at={key.created_at} />,
  },
  { ...expiryColumn(), sort: "expires_at" },
  {
    id: "revoke",
    header: "",
    align: "right",
    cell: ({ id, name, owner }) => (
      <RevokeButton
        name={name}
        help={t("allKeys.revokeOwner", { owner: owner.name })}
        onRevoke={() => revokeKey(id)}
      />
    ),
  },
]

export const revokeKey = async (id: string): Promise<void> => {
  await api.delete("/api/v1/keys/:id", { params: { id } })
  await invalidateQueries([["keys"], ["groups"]])
}
