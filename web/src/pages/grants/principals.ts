import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import type { NamedGroup } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import type { ComboboxChoice } from "../../ui/combobox.tsx"

export type Principal = Pick<AccessGrant, "principal_type" | "principal_id">

/** As the value of a choice. */
export const formatPrincipal = ({ principal_type, principal_id }: Principal): string =>
  `${principal_type}:${principal_id}`

export const parsePrincipal = (key: string): Principal => {
  const [type = "", id = ""] = key.split(/:(.*)/s)
  return { principal_type: type === "group" ? "group" : "user", principal_id: id }
}

const groupChoice = ({ id, name }: NamedGroup): ComboboxChoice => ({
  value: `group:${id}`,
  label: name,
  note: t("label.group"),
})

const asAdmin = async (query: string, signal: AbortSignal): Promise<ComboboxChoice[]> => {
  const search = { query, page_size: 20, order_by: "name" }
  const [groups, users] = await Promise.all([
    api.get("/api/v1/groups", { query: search, signal }),
    api.get("/api/v1/users", { query: search, signal }),
  ])
  const people = users.items.map(({ id, name, email }) => ({
    value: `user:${id}`,
    label: name,
    note: email,
  }))
  return [...groups.items.map(groupChoice), ...people]
}

const asUser = async (signal: AbortSignal): Promise<ComboboxChoice[]> =>
  (await api.get("/api/v1/groups/mine", { signal })).map(groupChoice)

/** People and groups to choose from; other users than administrators only find their own groups. */
export const usePrincipals = (query: string) => {
  const { role } = useCurrentUser()
  const { data = [], isPlaceholderData } = useQuery<ComboboxChoice[]>({
    queryKey: ["principals", role === "admin" ? query : ""],
    queryFn: ({ signal }) => (role === "admin" ? asAdmin(query, signal) : asUser(signal)),
    placeholderData: keepPreviousData,
  })
  return { choices: data, loading: isPlaceholderData }
}

/** The name of a grant's principal, as far as the user may know it. */
export const usePrincipalName = (principal: Principal): string => {
  const me = useCurrentUser()
  const { principal_type: type, principal_id: id } = principal
  const known = usePrincipals("").choices.find(({ value }) => value === formatPrincipal(principal))
  const { data } = useQuery({
    queryKey: ["principals", "name", type, id],
    queryFn: ({ signal }) => api.get(`/api/v1/${type}s/:id`, { params: { id }, signal }),
    enabled: me.role === "admin" && !known && id !== "*",
    staleTime: 60_000,
  })
  if (id === me.id) return me.name
  return known?.label ?? data?.name ?? t(type === "group" ? "grants.someGroup" : "grants.somebody")
}
