import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { MailPlus, Plus } from "lucide-react"
import { useState } from "react"
import type { Invitation, InvitationState } from "../../../../server/src/auth/invitation-schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { invitationsQuery } from "../../lib/queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Pager } from "../../ui/toolbar.tsx"
import { RoleBadge } from "./users.tsx"

const pageSize = 30

const Invite = () => (
  <ButtonLink to="/admin/invitations/new" variant="primary" icon={Plus}>
    {t("invitations.create")}
  </ButtonLink>
)

/** Links with which people create their own accounts. */
export const InvitationsPage = () => {
  const { search, toPage } = useListSearch()
  const page = search.page ?? 1
  const invitations = useQuery(invitationsQuery({ page, page_size: pageSize }))
  return (
    <Page
      title={t("invitations.title")}
      lead={t("invitations.lead")}
      action={invitations.data?.total !== 0 && <Invite />}
    >
      <QueryResult query={invitations} rows={4}>
        {({ items, total }) =>
          total === 0 ? (
            <EmptyState icon={MailPlus} title={t("invitations.none")} action={<Invite />}>
              {t("invitations.noneHelp")}
            </EmptyState>
          ) : (
            <>
              <InvitationTable items={items} />
              <Pager page={page} pageSize={pageSize} total={total} onPage={toPage} />
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}

const recipientOf = ({ email, account }: Invitation): string =>
  account?.email ?? email ?? t("invitations.anyone")

const tones: Record<InvitationState, Parameters<typeof Status>[0]["tone"]> = {
  open: "ok",
  accepted: "plain",
  revoked: "plain",
  expired: "plain",
  void: "warn",
}

const columns = (onRevoke: (invitation: Invitation) => void): Column<Invitation>[] => [
  {
    id: "recipient",
    header: t("invitations.recipient"),
    grow: true,
    cell: (invitation) => (
      <NameCell detail={t("invitations.by", { name: invitation.created_by })}>
        {invitation.account ? (
          <Link to="/admin/users/$userId" params={{ userId: invitation.account.id }}>
            {recipientOf(invitation)}
          </Link>
        ) : (
          recipientOf(invitation)
        )}
      </NameCell>
    ),
  },
  {
    id: "role",
    header: t("user.role"),
    belowName: "plain",
    cell: ({ role, groups }) => (
      <span className="flex flex-wrap gap-1">
        <RoleBadge role={role} />
        {groups.map(({ id, name }) => (
          <Badge key={id}>{name}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: "state",
    header: t("user.active"),
    belowName: "plain",
    cell: ({ state }) => <Status tone={tones[state]}>{t(`invitations.state.${state}`)}</Status>,
  },
  {
    id: "expires",
    header: t("invitations.expires"),
    belowName: "labeled",
    cell: ({ expires_at }) => <Time at={expires_at} />,
  },
  {
    id: "revoke",
    header: "",
    align: "right",
    cell: (invitation) =>
      invitation.state === "open" && (
        <Button
          variant="danger"
          aria-label={t("invitations.revokeOne", { name: recipientOf(invitation) })}
          onClick={() => onRevoke(invitation)}
        >
          {t("invitations.revokeShort")}
        </Button>
      ),
  },
]

const InvitationTable = ({ items }: { items: readonly Invitation[] }) => {
  const client = useQueryClient()
  const [revoked, setRevoked] = useState<Invitation | null>(null)
  const revoke = async ({ id }: Invitation): Promise<void> => {
    await api.delete("/api/v1/invitations/:id", { params: { id } })
    await client.invalidateQueries({ queryKey: ["invitations"] })
  }
  return (
    <>
      <Table
        label={t("invitations.title")}
        items={items}
        idOf={({ id }) => id}
        columns={columns(setRevoked)}
      />
      <ConfirmDialog
        open={revoked !== null}
        onClose={() => setRevoked(null)}
        title={t("invitations.revokeOne", { name: revoked ? recipientOf(revoked) : "" })}
        action={t("invitations.revoke")}
        danger
        onConfirm={() => revoked && revoke(revoked)}
      >
        {t("invitations.revokeHelp")}
      </ConfirmDialog>
    </>
  )
}
