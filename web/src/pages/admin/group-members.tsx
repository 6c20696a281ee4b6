import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { UserRound } from "lucide-react"
import { useState } from "react"
import type { GroupMember } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { membersQuery, usersQuery } from "../../lib/queries.ts"
import { Button } from "../../ui/button.tsx"
import { ComboboxField } from "../../ui/combobox.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Pager } from "../../ui/toolbar.tsx"
import { UserLink } from "./user-link.tsx"

const pageSize = 50

interface GroupMembersProps {
  groupId: string
  /** The identity provider manages the members. */
  provisioned: boolean
}

/** The members of a group, with a search field to add users. */
export const GroupMembers = ({ groupId, provisioned }: GroupMembersProps) => {
  const client = useQueryClient()
  const [page, setPage] = useState(1)
  const members = useQuery(membersQuery(groupId, { page, page_size: pageSize }))
  const change = useMutation({
    mutationFn: ({ verb, id }: { verb: "add" | "remove"; id: string }) =>
      api.post(`/api/v1/groups/:id/members/${verb}`, {
        params: { id: groupId },
        body: { user_ids: [id] },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["groups"] }),
  })
  const remove = ({ id, name }: GroupMember) => (
    <Button
      aria-label={t("action.removeOne", { name })}
      onClick={() => change.mutate({ verb: "remove", id })}
    >
      {t("action.remove")}
    </Button>
  )
  return (
    <Section
      title={t("groups.members")}
      lead={provisioned ? t("members.provisioned") : t("members.lead")}
    >
      {!provisioned && <AddMember onAdd={(id) => change.mutate({ verb: "add", id })} />}
      {change.error && <ErrorNote error={change.error} />}
      <QueryResult query={members} rows={3}>
        {({ items, total }) =>
          items.length === 0 ? (
            <EmptyState icon={UserRound} title={t("members.none")}>
              {t("members.noneHelp")}
            </EmptyState>
          ) : (
            <>
              <Table
                label={t("groups.members")}
                items={items}
                idOf={({ id }) => id}
                columns={[
                  {
                    id: "name",
                    header: t("label.name"),
                    grow: true,
                    cell: ({ id, name, email }) => (
                      <NameCell detail={email}>
                        <UserLink id={id}>{name}</UserLink>
                      </NameCell>
                    ),
                  },
                  ...(provisioned
                    ? []
                    : [{ id: "remove", header: "", align: "right" as const, cell: remove }]),
                ]}
              />
              <Pager page={page} pageSize={pageSize} total={total} onPage={setPage} />
            </>
          )
        }
      </QueryResult>
    </Section>
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
