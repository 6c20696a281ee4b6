import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { UsageDimension } from "../../../../server/src/usage/dimensions.ts"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { isMessageKey, type MessageKey, t } from "../../i18n/translate.ts"
import { connectionsQuery } from "../../lib/queries.ts"
import { NameCell } from "../../ui/table.tsx"

type Named = Pick<UsageTotal, "key" | "name" | "is_rest">

/** What requests without a user, group and so on are called. */
const noneLabels: Record<UsageDimension, MessageKey> = {
  model: "usage.noModel",
  user: "usage.serviceKeys",
  group: "usage.noGroup",
  key: "usage.noKey",
  connection: "usage.noConnection",
  outcome: "usage.noModel",
}

const deletedLabels: Partial<Record<UsageDimension, MessageKey>> = {
  user: "usage.deletedUser",
  group: "usage.deletedGroup",
  key: "usage.deletedKey",
}

const outcomeName = (outcome: string): string => {
  const key = `usage.outcome.${outcome}`
  return isMessageKey(key) ? t(key) : outcome
}

/** Names what a row of usage is about. */
export const useUsageNames = (by: UsageDimension): ((item: Named) => string) => {
  const { data } = useQuery({ ...connectionsQuery, enabled: by === "connection" })
  return ({ key, name, is_rest }) => {
    if (is_rest) return t("usage.rest")
    if (!key) return t(noneLabels[by])
    if (by === "outcome") return outcomeName(key)
    if (by === "connection") return data?.find(({ id }) => id === key)?.name ?? key
    const deleted = deletedLabels[by]
    return name ?? (deleted ? t(deleted) : key)
  }
}

interface UsageNameProps {
  by: UsageDimension
  item: UsageTotal
  name: string
}

/** The name of a row, linked to its page if it has one. */
export const UsageName = ({ by, item, name }: UsageNameProps) => {
  const { key: id, email, is_rest } = item
  if (!id || is_rest) return <span className="text-muted">{name}</span>
  const exists = item.name !== null
  if (by === "user" && exists) {
    return (
      <NameCell detail={email}>
        <Link to="/admin/users/$userId" params={{ userId: id }}>
          {name}
        </Link>
      </NameCell>
    )
  }
  if (by === "group" && exists) {
    return (
      <NameCell>
        <Link to="/admin/groups/$groupId" params={{ groupId: id }}>
          {name}
        </Link>
      </NameCell>
    )
  }
  if (by === "connection" && name !== id) {
    return (
      <NameCell>
        <Link to="/admin/connections/$connectionId" params={{ connectionId: id }}>
          {name}
        </Link>
      </NameCell>
    )
  }
  return <NameCell>{name}</NameCell>
}
