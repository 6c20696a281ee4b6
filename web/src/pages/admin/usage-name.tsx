import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { formatDate } from "../../lib/format.ts"
import { connectionsQuery, keysQuery, userQuery } from "../../lib/queries.ts"

interface UsageNameProps {
  by: "model" | "user" | "key" | "connection" | "day"
  id: string | null
}

/** The name behind a usage row's ID, if known. */
export const UsageName = ({ by, id }: UsageNameProps) => {
  if (id === null) return <span className="text-muted">{t("usage.nobody")}</span>
  if (by === "user") return <UserName id={id} />
  if (by === "connection") return <ConnectionName id={id} />
  if (by === "key") return <KeyName id={id} />
  if (by === "day") return <span>{formatDate(Date.parse(`${id}T12:00:00Z`) / 1000)}</span>
  return <span className="truncate">{id}</span>
}

const UserName = ({ id }: { id: string }) => {
  const { data, isError } = useQuery({ ...userQuery(id), staleTime: 60_000 })
  if (isError) return <span className="truncate text-muted">{t("usage.deletedUser")}</span>
  return (
    <Link
      to="/admin/users/$userId"
      params={{ userId: id }}
      className="truncate font-medium hover:underline"
    >
      {data?.name ?? "…"}
    </Link>
  )
}

/** The names of other users' keys are not available, so their ID is shown. */
const KeyName = ({ id }: { id: string }) => {
  const { data } = useQuery(keysQuery)
  return <span className="truncate">{data?.find((one) => one.id === id)?.name ?? id}</span>
}

const ConnectionName = ({ id }: { id: string }) => {
  const { data } = useQuery(connectionsQuery)
  return <span className="truncate">{data?.find((one) => one.id === id)?.name ?? id}</span>
}
