import { useQuery } from "@tanstack/react-query"
import { Gauge, X } from "lucide-react"
import { useEffect, useRef } from "react"
import { t, translateServerText } from "../../i18n/translate.ts"
import { useAccountStorage, writeAccountStorage } from "../../lib/account-storage.ts"
import { routeQuery } from "../../lib/route-query.ts"
import { IconButton } from "../../ui/button.tsx"

const noticesQuery = routeQuery(["limits", "notices"], "/api/v1/limits/notices")

/** Dismissed notices that are remembered; older ones are of periods that have ended. */
const maxDismissed = 20

/** A limit that is nearly used up, or reached, until the reader dismisses it for this period. */
export const LimitNotice = ({ running }: { running: boolean }) => {
  const { data, refetch } = useQuery(noticesQuery)
  const dismissed = useAccountStorage("dismissedLimits")?.split("\n") ?? []
  const wasRunning = useRef(running)
  useEffect(() => {
    if (wasRunning.current && !running) void refetch()
    wasRunning.current = running
  }, [running, refetch])
  const notice = data?.items.find(({ id }) => !dismissed.includes(id))
  if (!notice) return null
  const dismiss = (): void =>
    writeAccountStorage(
      "dismissedLimits",
      [...dismissed, notice.id].slice(-maxDismissed).join("\n"),
    )
  return (
    <aside
      aria-label={t("label.notice")}
      className="mb-2 flex items-start gap-2 rounded bg-warn-soft py-1 pr-1 pl-3 text-xs text-warn"
    >
      <Gauge aria-hidden className="mt-2 size-3.5 shrink-0" />
      <p className="min-w-0 flex-1 py-1.5 break-words">
        {translateServerText(notice.message, notice.message_reference)}
      </p>
      <IconButton icon={X} label={t("banner.dismiss")} onClick={dismiss} />
    </aside>
  )
}
