import type { LucideIcon } from "lucide-react"
import { t } from "../i18n/translate.ts"
import { Button } from "./button.tsx"
import { EmptyState } from "./empty-state.tsx"

interface NoResultsProps {
  icon: LucideIcon
  clear: () => void
}

/** Shown when a search or filter has no results, with a button to clear it. */
export const NoResults = ({ icon, clear }: NoResultsProps) => (
  <EmptyState
    icon={icon}
    title={t("list.nothing")}
    action={<Button onClick={clear}>{t("list.clear")}</Button>}
  />
)
