import { KeyRound } from "lucide-react"
import type { ReactNode } from "react"
import type { ApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { DefinitionList } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"
import { KeyExpiry, KeyScope } from "./key-cells.tsx"

interface KeyFactsProps {
  apiKey: ApiKey
  /** Shown first. */
  owner?: ReactNode
}

/** What a key may do, and when it was used. */
export const KeyFacts = ({ apiKey, owner }: KeyFactsProps) => (
  <DefinitionList
    rows={[
      ...(owner === undefined ? [] : [[t("label.owner"), owner] as const]),
      [t("keys.scope"), <KeyScope key="scope" {...apiKey} />],
      [t("label.lastUsed"), <Time key="used" at={apiKey.last_used_at} />],
      [t("label.created"), <Time key="created" at={apiKey.created_at} />],
      [t("label.expires"), <KeyExpiry key="expires" {...apiKey} />],
    ]}
  />
)

/** In place of a key that was revoked. */
export const MissingKey = () => (
  <EmptyState icon={KeyRound} title={t("allKeys.gone")}>
    {t("allKeys.goneHelp")}
  </EmptyState>
)
