import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { MailPlus, Users } from "lucide-react"
import type { User } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { usersQuery } from "../../lib/queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { roleOptions } from "./role-field.tsx"
import { UserLink } from "./user-link.tsx"

export const RoleBadge = ({ role }: { role: User["role"] }) => {
  const tone = { admin: "accent", user: "plain", pending: "warn" } as const
  return <Badge tone={tone[role]}>{t(`role.${role}`)}</Badge>
}

export const UsersPage = () => {
  const list = useListSearch<"role" | "active">({ order_by: "created_at", direction: "desc" })
  const users = useQuery(usersQuery(list.params))
  return (
    <ListPage
      title={t("label.users")}
      lead={t("users.lead")}
      list={list}
      result={users}
      searchLabel={t("users.search")}
      filters={[
        {
          name: "role",
          label: t("user.role"),
          options: [
            { value: "", label: t("users.anyRole") },
            ...roleOptions("admin", "user", "pending"),
          ],
        },
        {
          name: "active",
          label: t("label.status"),
          options: [
            { value: "", label: t("label.anyStatus") },
            { value: "true", label: t("user.isActive") },
            { value: "false", label: t("user.isInactive") },
          ],
        },
      ]}
      create={{ to: "/admin/users/new", label: t("users.add") }}
      actions={
        <ButtonLink to="/admin/invitations/new" icon={MailPlus}>
          {t("invitations.create")}
        </ButtonLink>
      }
      icon={Users}
      columns={columns()}
    />
  )
}

const columns = (): Column<User>[] => [
  {
    id: "name",
    header: t("label.name"),
    sort: "name",
    grow: true,
    cell: ({ id, name, email, source }) => (
      <NameCell detail={email}>
        <UserLink id={id}>{name}</UserLink>{" "}
        {source !== "local" && <Badge>{t(`source.${source}`)}</Badge>}
      </NameCell>
    ),
  },
  {
    id: "role",
    header: t("user.role"),
    sort: "role",
    belowName: "plain",
    cell: ({ role }) => <RoleBadge role={role} />,
  },
  {
    id: "active",
    header: t("label.status"),
    belowName: "plain",
    cell: (user) => <State user={user} />,
  },
  {
    id: "seen",
    header: t("user.seen"),
    sort: "last_active_at",
    belowName: "labeled",
    cell: ({ last_active_at }) => <Time at={last_active_at} />,
  },
  {
    id: "created",
    header: t("label.created"),
    sort: "created_at",
    wideOnly: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  { id: "approve", header: "", align: "right", cell: (user) => <Approve user={user} /> },
]

const State = ({ user: { active, role } }: { user: User }) => {
  if (!active) return <Status tone="plain">{t("user.isInactive")}</Status>
  if (role === "pending") return <Status tone="warn">{t("user.isWaiting")}</Status>
  return <Status tone="ok">{t("user.isActive")}</Status>
}

const Approve = ({ user }: { user: User }) => {
  const client = useQueryClient()
  const approve = useMutation({
    mutationFn: () =>
      api.post("/api/v1/users/:id/update", { params: { id: user.id }, body: { role: "user" } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["users"] }),
  })
  if (user.role !== "pending") return null
  return (
    <>
      <Button
        busy={approve.isPending}
        aria-label={t("users.approveOne", { name: user.name })}
        onClick={() => approve.mutate()}
      >
        {t("users.approve")}
      </Button>
      {approve.error && <p className="text-xs text-danger">{errorText(approve.error)}</p>}
    </>
  )
}
