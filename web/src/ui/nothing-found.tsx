import type { LucideIcon } from "lucide-react"
import { t } from "../i18n/translate.ts"
import { Button } from "./button.tsx"
import { EmptyState } from "./empty-state.tsx"

interface NothingFoundProps {
  icon: LucideIcon
  clear: () => void
}

/** A list of which a search or a filter leaves nothing, and the way back to all of it. */
export const NothingFound = ({ icon, clear }: NothingFoundProps) => (
  <EmptyState
    icon={icon}
    title={t("list.nothing")}
    action={<Button onClick={clear}>{t("list.clear")}</Button>}
  >
    {t("list.nothingHelp")}
  </EmptyState>
)
