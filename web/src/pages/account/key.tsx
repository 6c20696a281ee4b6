import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { keysQuery } from "../../lib/queries.ts"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { LimitPanel } from "../limits/limit-panel.tsx"
import { KeyHint } from "./key-cells.tsx"
import { KeyFacts, MissingKey } from "./key-facts.tsx"

/** One of the user's API keys, with its limits. */
export const OwnKeyPage = () => {
  const { keyId = "" } = useParams({ strict: false })
  const keys = useQuery(keysQuery)
  const key = keys.data?.find(({ id }) => id === keyId)
  return (
    <Page
      title={key?.name ?? t("label.apiKey")}
      lead={key && <KeyHint {...key} />}
      breadcrumb={<BackLink to="/account/keys">{t("label.apiKeys")}</BackLink>}
      narrow
    >
      <QueryResult query={keys} rows={5}>
        {() =>
          key ? (
            <>
              <KeyFacts apiKey={key} />
              <LimitPanel target={{ type: "key", id: key.id }} lead={t("limits.ownKeyLead")} />
            </>
          ) : (
            <MissingKey />
          )
        }
      </QueryResult>
    </Page>
  )
}
