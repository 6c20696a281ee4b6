import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDate } from "../../lib/format.ts"
import { connectionsQuery } from "../../lib/queries.ts"
import { UserLink } from "./user-link.tsx"

interface UsageNameProps {
  by: "model" | "user" | "group" | "key" | "connection" | "day"
  item: UsageTotal
}

/** What a usage row is about: its name if known, or its ID. */
export const UsageName = ({ by, item: { key: id, name } }: UsageNameProps) => {
  if (id === null) {
    const none = by === "group" ? "usage.noGroup" : "usage.nobody"
    return <span className="text-muted">{t(none)}</span>
  }
  if (by === "user") return <UserName id={id} name={name} />
  if (by === "group") return <GroupName id={id} name={name} />
  if (by === "connection") return <ConnectionName id={id} />
  if (by === "day") return <span>{formatDate(Date.parse(`${id}T12:00:00Z`) / 1000)}</span>
  return <span className="truncate">{name ?? id}</span>
}

const UserName = ({ id, name }: { id: string; name: string | null }) =>
  name === null ? (
    <span className="truncate text-muted">{t("usage.deletedUser")}</span>
  ) : (
    <UserLink id={id} className="truncate font-medium hover:underline">
      {name}
    </UserLink>
  )

const GroupName = ({ id, name }: { id: string; name: string | null }) =>
  name === null ? (
    <span className="truncate text-muted">{t("usage.deletedGroup")}</span>
  ) : (
    <Link
      to="/admin/groups/$groupId"
      params={{ groupId: id }}
      className="truncate font-medium hover:underline"
    >
      {name}
    </Link>
  )

const ConnectionName = ({ id }: { id: string }) => {
  const { data } = useQuery(connectionsQuery)
  return <span className="truncate">{data?.find((one) => one.id === id)?.name ?? id}</span>
}
