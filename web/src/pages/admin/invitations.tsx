import { useQuery } from "@tanstack/react-query"
import { MailPlus } from "lucide-react"
import { useState } from "react"
import type { Invitation, InvitationState } from "../../../../server/src/auth/invitation-schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { invitationsQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { UserLink } from "./user-link.tsx"
import { RoleBadge } from "./users.tsx"

/** Links with which people create their own accounts. */
export const InvitationsPage = () => {
  const list = useListSearch()
  const { page, page_size } = list.params
  const invitations = useQuery(invitationsQuery({ page, page_size }))
  const [revoked, setRevoked] = useState<Invitation | null>(null)
  return (
    <ListPage
      title={t("invitations.title")}
      lead={t("invitations.lead")}
      list={list}
      result={invitations}
      create={{ to: "/admin/invitations/new", label: t("invitations.create") }}
      icon={MailPlus}
      none={{ title: t("invitations.none"), help: t("invitations.noneHelp") }}
      columns={columns(setRevoked)}
    >
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
    </ListPage>
  )
}

const revoke = async ({ id }: Invitation): Promise<void> => {
  await api.delete("/api/v1/invitations/:id", { params: { id } })
  await queryClient.invalidateQueries({ queryKey: ["invitations"] })
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
          <UserLink id={invitation.account.id}>{recipientOf(invitation)}</UserLink>
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
    header: t("label.status"),
    belowName: "plain",
    cell: ({ state }) => <Status tone={tones[state]}>{t(`invitations.state.${state}`)}</Status>,
  },
  {
    id: "expires",
    header: t("label.expires"),
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
          {t("action.revoke")}
        </Button>
      ),
  },
]
