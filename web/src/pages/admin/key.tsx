import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { AdministeredKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { allKeysQuery } from "../../lib/queries.ts"
import { useLeavePage } from "../../lib/use-leave-page.ts"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { KeyHint, RevokeButton } from "../account/key-cells.tsx"
import { KeyFacts, MissingKey } from "../account/key-facts.tsx"
import { LimitPanel } from "../limits/limit-panel.tsx"
import { RecentUsage } from "../usage/recent-usage.tsx"
import { KeyOwnerLink, revokeKey } from "./all-keys.tsx"

const route = getRouteApi("/inside/admin/keys/$keyId")

/** A key of any user or group, with its limits and what it used. */
export const KeyPage = () => {
  const { keyId } = route.useParams()
  const keys = useQuery(allKeysQuery({ id: keyId }))
  const [key] = keys.data?.items ?? []
  return (
    <Page
      title={key?.name ?? t("label.apiKey")}
      lead={key && <KeyHint {...key} />}
      breadcrumb={<BackLink to="/admin/keys">{t("label.apiKeys")}</BackLink>}
      action={key && <Revoke apiKey={key} />}
      narrow
    >
      <QueryResult query={keys} rows={8}>
        {({ items: [found] }) =>
          found ? (
            <>
              <KeyFacts apiKey={found} owner={<KeyOwnerLink {...found} />} />
              <LimitPanel target={{ type: "key", id: found.id }} lead={t("limits.keyLead")} />
              <RecentUsage filter="key_id" id={found.id} />
            </>
          ) : (
            <MissingKey />
          )
        }
      </QueryResult>
    </Page>
  )
}

const Revoke = ({ apiKey: { id, name, owner } }: { apiKey: AdministeredKey }) => {
  const leave = useLeavePage()
  return (
    <RevokeButton
      name={name}
      help={t("allKeys.revokeOwner", { owner: owner.name })}
      onRevoke={async () => {
        await revokeKey(id)
        await leave({ to: "/admin/keys", invalidates: [["limits"]] })
      }}
    />
  )
}
