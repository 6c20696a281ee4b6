import { useMutation, useQuery } from "@tanstack/react-query"
import { Link2, Unlink } from "lucide-react"
import type { ReactNode } from "react"
import type { Identities, Identity } from "../../../../server/src/sso/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { identitiesQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { configQuery } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Section } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"

/** Providers linked to one's own account, and those that can be linked. */
export const OwnLinkedAccounts = () => {
  const { data: config } = useQuery(configQuery)
  const { data } = useQuery(identitiesQuery(null))
  const providers = config?.sign_on ?? []
  if (!data || (providers.length === 0 && data.items.length === 0)) return null
  const unlinkedProviders = providers.filter(
    ({ name }) => !data.items.some((item) => item.provider === name),
  )
  return (
    <Section title={t("label.linkedAccounts")} lead={t("links.lead")}>
      <LinkedAccountList
        identities={data}
        userId={null}
        locked={!data.has_password && data.items.length === 1}
      />
      {unlinkedProviders.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {unlinkedProviders.map((provider) => (
            <LinkButton key={provider.name} {...provider} />
          ))}
        </div>
      )}
    </Section>
  )
}

/** Providers linked to another user's account, for administrators. */
export const UserLinkedAccounts = ({ userId }: { userId: string }) => {
  const { data } = useQuery(identitiesQuery(userId))
  if (!data || data.items.length === 0) return null
  return (
    <Section title={t("label.linkedAccounts")} lead={t("links.leadOther")}>
      <LinkedAccountList identities={data} userId={userId} locked={false} />
    </Section>
  )
}

interface LinkedAccountListProps {
  identities: Identities
  userId: string | null
  /** Unlinking is disabled because it is the only way to sign in. */
  locked: boolean
}

const LinkedAccountList = ({
  identities: { items },
  userId,
  locked,
}: LinkedAccountListProps): ReactNode =>
  items.length === 0 ? (
    <p className="text-sm text-muted">{t("label.none")}</p>
  ) : (
    <ul className="flex flex-col rounded border border-line">
      {items.map((identity) => (
        <li
          key={identity.id}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 text-sm last:border-0"
        >
          <div className="min-w-0 flex-1 basis-48">
            <p className="font-medium">{identity.label}</p>
            <p className="truncate text-xs text-muted">{identity.email ?? identity.subject}</p>
          </div>
          <p className="text-xs text-muted">
            {t("label.lastUsed")}: <Time at={identity.last_used_at} inSentence />
          </p>
          {locked ? (
            <p className="basis-full text-xs text-muted">{t("links.only")}</p>
          ) : (
            <UnlinkButton identity={identity} userId={userId} />
          )}
        </li>
      ))}
    </ul>
  )

const UnlinkButton = ({ identity, userId }: { identity: Identity; userId: string | null }) => {
  const unlink = async (): Promise<void> => {
    if (userId === null) {
      await api.delete("/api/v1/sso/identities/:id", { params: { id: identity.id } })
    } else {
      const params = { id: userId, identity: identity.id }
      await api.delete("/api/v1/sso/users/:id/identities/:identity", { params })
    }
    await invalidateQueries([["identities"]])
  }
  return (
    <ConfirmTrigger
      trigger={<Button icon={Unlink}>{t("links.unlink")}</Button>}
      title={t("links.unlinkOne", { provider: identity.label })}
      action={t("links.unlink")}
      danger
      onConfirm={unlink}
    >
      {t("links.unlinkHelp")}
    </ConfirmTrigger>
  )
}

const LinkButton = ({ name, label }: { name: string; label: string }) => {
  const link = useMutation({
    mutationFn: () => api.post("/api/v1/sso/:provider/link", { params: { provider: name } }),
    onSuccess: ({ redirect }) => {
      if (redirect !== null) window.location.assign(redirect)
    },
  })
  return (
    <div className="flex flex-col gap-2">
      <Button icon={Link2} busy={link.isPending} onClick={() => link.mutate()}>
        {t("links.link", { provider: label })}
      </Button>
      {link.error && <ErrorNote error={link.error} />}
    </div>
  )
}
