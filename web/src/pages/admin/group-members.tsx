import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Ellipsis, UserCog, UserMinus, UserRound } from "lucide-react"
import { type FormEvent, useState } from "react"
import type { GroupMember } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { membersQuery, usersQuery } from "../../lib/queries.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button, IconButton } from "../../ui/button.tsx"
import { ComboboxField } from "../../ui/combobox.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Pager } from "../../ui/toolbar.tsx"
import type { GroupArea } from "./group-paths.ts"
import { UserLink } from "./user-link.tsx"

const pageSize = 50

interface GroupMembersProps {
  groupId: string
  /** The identity provider manages the members. */
  provisioned: boolean
  /** Administrators choose from all users and appoint managers, who do neither. */
  area: GroupArea
}

type Change =
  | { verb: "members/add" | "members/remove" | "managers/add" | "managers/remove"; id: string }
  | { email: string }

const send = (groupId: string, change: Change) => {
  const params = { id: groupId }
  return "email" in change
    ? api.post("/api/v1/groups/:id/members/add", { params, body: { emails: [change.email] } })
    : api.post(`/api/v1/groups/:id/${change.verb}`, { params, body: { user_ids: [change.id] } })
}

/** The members of a group, with a search field to add users. */
export const GroupMembers = ({ groupId, provisioned, area }: GroupMembersProps) => {
  const client = useQueryClient()
  const [page, setPage] = useState(1)
  const members = useQuery(membersQuery(groupId, { page, page_size: pageSize }))
  const change = useMutation({
    mutationFn: (one: Change) => send(groupId, one),
    onSuccess: () => client.invalidateQueries({ queryKey: ["groups"] }),
  })
  const isAdmin = area === "admin"
  return (
    <Section
      title={t("groups.members")}
      lead={provisioned ? t("members.provisioned") : t("members.lead")}
    >
      {!provisioned && isAdmin && (
        <AddMember onAdd={(id) => change.mutate({ verb: "members/add", id })} />
      )}
      {!provisioned && !isAdmin && <AddByEmail onAdd={(email) => change.mutateAsync({ email })} />}
      {change.error && <ErrorNote error={change.error} />}
      <QueryResult query={members} rows={3}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState icon={UserRound} title={t("members.none")}>
              {isAdmin ? t("members.noneHelp") : t("managers.noneHelp")}
            </EmptyState>
          ) : (
            <>
              <Table
                label={t("groups.members")}
                items={items}
                idOf={({ id }) => id}
                columns={columns({ groupId, isAdmin, provisioned, onChange: change.mutate })}
              />
              <Pager page={page} pageSize={pageSize} total={total} onPage={setPage} />
            </>
          )
        }
      </QueryResult>
    </Section>
  )
}

interface ColumnOptions {
  groupId: string
  isAdmin: boolean
  provisioned: boolean
  onChange: (change: Change) => void
}

const columns = (options: ColumnOptions): Column<GroupMember>[] => {
  const { groupId, isAdmin, provisioned, onChange } = options
  const nameColumn: Column<GroupMember> = {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: (member) => (
      <NameCell detail={member.email}>
        {isAdmin ? (
          <UserLink id={member.id}>{member.name}</UserLink>
        ) : (
          <MemberLimitsLink groupId={groupId} member={member} />
        )}{" "}
        {member.role === "manager" && <Badge tone="accent">{t("groupRole.manager")}</Badge>}
      </NameCell>
    ),
  }
  const actionColumn: Column<GroupMember> = {
    id: "actions",
    header: "",
    align: "right",
    cell: (member) =>
      isAdmin ? (
        <MemberMenu member={member} provisioned={provisioned} onChange={onChange} />
      ) : (
        // Only administrators remove managers.
        member.role === "member" && <RemoveButton member={member} onChange={onChange} />
      ),
  }
  return isAdmin || !provisioned ? [nameColumn, actionColumn] : [nameColumn]
}

/** Only administrators limit managers. */
const MemberLimitsLink = ({ groupId, member }: { groupId: string; member: GroupMember }) => {
  const { id, name, role } = member
  return role === "manager" ? (
    name
  ) : (
    <Link to="/account/groups/$groupId/members/$userId" params={{ groupId, userId: id }}>
      {name}
    </Link>
  )
}

interface MemberProps {
  member: GroupMember
  onChange: (change: Change) => void
}

const MemberMenu = (props: MemberProps & { provisioned: boolean }) => {
  const { member, provisioned, onChange } = props
  const { id, name, role } = member
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t("managers.menu", { name })} />}>
      {role === "member" ? (
        <MenuItem icon={UserCog} onClick={() => onChange({ verb: "managers/add", id })}>
          {t("managers.appoint")}
        </MenuItem>
      ) : (
        <MenuItem icon={UserRound} onClick={() => onChange({ verb: "managers/remove", id })}>
          {t("managers.dismiss")}
        </MenuItem>
      )}
      {!provisioned && (
        <MenuItem icon={UserMinus} onClick={() => onChange({ verb: "members/remove", id })}>
          {t("managers.removeMember")}
        </MenuItem>
      )}
    </Menu>
  )
}

const RemoveButton = ({ member: { id, name }, onChange }: MemberProps) => (
  <Button
    aria-label={t("action.removeOne", { name })}
    onClick={() => onChange({ verb: "members/remove", id })}
  >
    {t("action.remove")}
  </Button>
)

interface AddByEmailProps {
  onAdd: (email: string) => Promise<unknown>
}

/** For managers, who cannot list the users of the gateway. */
const AddByEmail = ({ onAdd }: AddByEmailProps) => {
  const [email, setEmail] = useState("")
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    await onAdd(email)
    setEmail("")
  }
  return (
    <form
      noValidate
      onSubmit={(event) => submit(event).catch(() => {})}
      className="flex flex-wrap items-end gap-2"
    >
      <TextField
        label={t("managers.email")}
        type="email"
        value={email}
        onValue={setEmail}
        autoComplete="off"
        className="min-w-0 flex-1 basis-64 wide:max-w-96"
      />
      <Button type="submit" disabled={email.trim() === ""}>
        {t("managers.add")}
      </Button>
    </form>
  )
}

const AddMember = ({ onAdd }: { onAdd: (id: string) => void }) => {
  const [query, setQuery] = useState("")
  const users = useQuery(usersQuery({ query, page_size: 20, order_by: "name" }))
  return (
    <ComboboxField
      label={t("members.add")}
      className="max-w-96"
      placeholder={t("users.search")}
      choices={(users.data?.items ?? []).map(({ id, name, email }) => ({
        value: id,
        label: name,
        note: email,
      }))}
      value={null}
      onQuery={setQuery}
      loading={users.isPlaceholderData}
      onValue={(id) => {
        if (id !== null) onAdd(id)
      }}
    />
  )
}
