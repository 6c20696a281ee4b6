import { X } from "lucide-react"
import { t } from "../i18n/translate.ts"
import { Button } from "./button.tsx"

/** A filter that is set; pressing it removes it. */
export const FilterChip = ({ children, onRemove }: { children: string; onRemove: () => void }) => (
  <Button icon={X} onClick={onRemove} title={t("list.dropFilter")} className="max-w-full">
    <span className="truncate">{children}</span>
  </Button>
)
