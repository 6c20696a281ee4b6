import { Share2 } from "lucide-react"
import { t } from "../../i18n/translate.ts"

/** Shows the owner of a chat that others can read it. */
export const SharedMark = () => (
  <span
    role="img"
    aria-label={t("chat.shared")}
    title={t("chat.shared")}
    className="shrink-0 text-muted"
  >
    <Share2 aria-hidden className="size-3.5" />
  </span>
)
