import { useQuery } from "@tanstack/react-query"
import { X } from "lucide-react"
import { useState } from "react"
import type { CreatedInvitation } from "../../../../server/src/auth/invitation-schema.ts"
import type { NamedGroup } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatDate } from "../../lib/format.ts"
import { groupsQuery } from "../../lib/queries.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { Combobox } from "../../ui/combobox.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { CreatePage } from "../../ui/create-page.tsx"
import { Field, TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { SelectField } from "../../ui/select.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { roleOptions } from "./role-field.tsx"

const lifetimes = [1, 7, 30, 90] as const

interface InvitationValues {
  email: string
  role: "user" | "admin"
  groups: NamedGroup[]
  days: string
}

const empty: InvitationValues = { email: "", role: "user", groups: [], days: "7" }

export const NewInvitationPage = () => {
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  return created ? <Created invitation={created} /> : <NewInvitation onCreated={setCreated} />
}

const NewInvitation = ({ onCreated }: { onCreated: (created: CreatedInvitation) => void }) => {
  const form = useCreateForm({
    initial: empty,
    create: ({ email, role, groups, days }) =>
      api.post("/api/v1/invitations/create", {
        body: {
          ...(email.trim() && { email: email.trim() }),
          role,
          group_ids: groups.map(({ id }) => id),
          expires_in: Number(days) * daySeconds,
        },
      }),
    invalidates: [["invitations"]],
    onCreated,
  })
  const { values, set } = form
  return (
    <CreatePage
      title={t("invitations.create")}
      lead={t("invitations.createLead")}
      breadcrumb={<BackLink to="/admin/invitations">{t("invitations.title")}</BackLink>}
      form={form}
      fields={["email"]}
    >
      <TextField
        label={t("session.email")}
        help={t("invitations.emailHelp")}
        type="email"
        {...bindField(form, "email")}
        autoComplete="off"
      />
      <SelectField
        label={t("user.role")}
        {...bindField(form, "role")}
        options={roleOptions("user", "admin")}
      />
      <GroupsField groups={values.groups} onGroups={(groups) => set({ groups })} />
      <SelectField
        label={t("label.expires")}
        {...bindField(form, "days")}
        options={lifetimes.map((count) => ({
          value: String(count),
          label: t("invitations.days", { count }),
        }))}
      />
    </CreatePage>
  )
}

interface GroupsFieldProps {
  groups: readonly NamedGroup[]
  onGroups: (groups: NamedGroup[]) => void
}

/** The groups that the new account joins. */
const GroupsField = ({ groups, onGroups }: GroupsFieldProps) => {
  const [query, setQuery] = useState("")
  const found = useQuery(groupsQuery({ query, order_by: "name", page_size: 20 }))
  const free = (found.data?.items ?? []).filter(
    ({ id, source }) => source !== "scim" && !groups.some((group) => group.id === id),
  )
  const add = (id: string | null): void => {
    const group = free.find((one) => one.id === id)
    if (group) onGroups([...groups, { id: group.id, name: group.name }])
  }
  return (
    <Field label={t("label.groups")}>
      {(controlProps) => (
        <div className="flex flex-col gap-2">
          <Combobox
            {...controlProps}
            placeholder={t("invitations.addGroup")}
            choices={free.map(({ id, name }) => ({ value: id, label: name }))}
            value={null}
            onValue={add}
            onQuery={setQuery}
            loading={found.isPlaceholderData}
          />
          {groups.length > 0 && (
            <ul className="flex flex-wrap gap-2">
              {groups.map(({ id, name }) => (
                <li key={id}>
                  <Button
                    icon={X}
                    aria-label={t("action.removeOne", { name })}
                    onClick={() => onGroups(groups.filter((group) => group.id !== id))}
                  >
                    {name}
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Field>
  )
}

/** The new link; it is shown only now. */
const Created = ({ invitation }: { invitation: CreatedInvitation }) => {
  const { token, email, expires_at } = invitation
  // In the fragment, which browsers send to no server and which therefore is in no log.
  const link = `${window.location.origin}/invite#${token}`
  return (
    <Page
      title={t("invitations.created")}
      lead={t("invitations.createdLead", {
        recipient: email ?? t("invitations.oneRecipient"),
        date: formatDate(expires_at),
      })}
      narrow
    >
      <div className="flex flex-wrap items-center gap-3 rounded border border-accent/50 bg-accent-soft p-3">
        <code data-secret className="min-w-0 flex-1 basis-56 text-sm break-all select-all">
          {link}
        </code>
        <CopyButton text={link} label={t("action.copyLink")} hasLabel />
      </div>
      <div>
        <ButtonLink to="/admin/invitations" variant="primary">
          {t("keys.done")}
        </ButtonLink>
      </div>
    </Page>
  )
}
