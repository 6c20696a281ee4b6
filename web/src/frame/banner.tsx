import { Info, TriangleAlert, X } from "lucide-react"
import { useLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"
import { t } from "../i18n/translate.ts"
import { usePageSession } from "../lib/session.ts"
import { IconButton } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"

/** The administrator's notice above every page, until the reader dismisses this text. */
export const Banner = () => {
  const { banner } = usePageSession()
  const dismissed = useLocalStorage("dismissedBanner")
  if (!banner || banner.text === dismissed) return null
  const isWarning = banner.kind === "warning"
  const Icon = isWarning ? TriangleAlert : Info
  return (
    <aside
      aria-label={t("label.notice")}
      className={classes(
        "flex shrink-0 items-start gap-2.5 py-1.5 pr-2 pl-4 text-sm",
        isWarning ? "bg-warn-soft text-warn" : "bg-accent-soft text-accent",
      )}
    >
      <Icon aria-hidden className="mt-1.5 size-4 shrink-0" />
      <p className="min-w-0 flex-1 py-1 break-words whitespace-pre-line">{banner.text}</p>
      <IconButton
        icon={X}
        label={t("banner.dismiss")}
        onClick={() => writeLocalStorage("dismissedBanner", banner.text)}
      />
    </aside>
  )
}
