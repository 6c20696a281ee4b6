import { Pencil, X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { IconButton } from "../../ui/button.tsx"
import type { WrittenMessage } from "./use-composer.ts"

interface QueuedMessageProps {
  message: WrittenMessage
  onEdit: () => void
  onRemove: () => void
}

/** The message that follows the answer being written. */
export const QueuedMessage = ({ message, onEdit, onRemove }: QueuedMessageProps) => {
  const { text, images } = message
  return (
    <section
      aria-label={t("composer.queued")}
      className="mx-3 flex items-start gap-2 rounded-t-lg border border-b-0 border-line bg-surface py-1.5 pr-1.5 pl-3.5 text-sm"
    >
      <div className="min-w-0 flex-1">
        <p role="status" className="text-xs text-muted">
          {t("composer.queuedLead")}
        </p>
        {text !== "" && <p className="line-clamp-3 break-words whitespace-pre-wrap">{text}</p>}
        {images.length > 0 && (
          <p className="text-muted">{t("composer.queuedImages", { count: images.length })}</p>
        )}
      </div>
      <span className="flex shrink-0">
        <IconButton icon={Pencil} label={t("composer.queuedEdit")} onClick={onEdit} />
        <IconButton icon={X} label={t("composer.queuedRemove")} onClick={onRemove} />
      </span>
    </section>
  )
}
