import { t } from "../../i18n/translate.ts"

/** In place of the composer in a chat that somebody else shares. */
export const ReadOnlyBar = ({ ownerName }: { ownerName: string }) => (
  <div className="flex flex-wrap items-center justify-between gap-2 rounded border border-line bg-surface px-3 py-2.5 text-sm text-muted">
    <p>{t("answer.sharedBy", { name: ownerName })}</p>
  </div>
)
