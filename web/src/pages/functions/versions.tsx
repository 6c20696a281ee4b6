import { useQuery } from "@tanstack/react-query"
import { History } from "lucide-react"
import { useState } from "react"
import type { FunctionRecord, FunctionVersion } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { usePrincipalName } from "../grants/principals.ts"
import { DifferenceView } from "./editor/difference-view.tsx"
import { showSavedFunction, versionQuery, versionsQuery } from "./function-queries.ts"
import { useFunction } from "./use-function.ts"

/** All versions of a function; older ones can be restored. */
export const VersionsPart = () => {
  const one = useFunction()
  const versions = useQuery(versionsQuery(one.id))
  return (
    <>
      <p className="max-w-[60ch] text-sm text-muted">{t("versions.lead")}</p>
      <QueryResult query={versions} rows={4}>
        {(all) => (
          <ul aria-label={t("functions.versions")} className="rounded border border-line">
            {all.map((version) => (
              <Row key={version.version} one={one} version={version} />
            ))}
          </ul>
        )}
      </QueryResult>
    </>
  )
}

const Row = ({ one, version }: { one: FunctionRecord; version: FunctionVersion }) => {
  const [isConfirming, setConfirming] = useState(false)
  const current = version.version === one.version
  const who = usePrincipalName({ principal_type: "user", principal_id: version.user_id })
  return (
    <li className="flex items-center gap-x-4 border-b border-line px-4 py-2.5 text-sm last:border-0">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
        <span className="font-medium">{t("versions.one", { version: version.version })}</span>
        {current && <Badge tone="ok">{t("versions.current")}</Badge>}
        {version.restored_from !== null && (
          <span className="text-xs text-muted">
            {t("versions.restored", { version: version.restored_from })}
          </span>
        )}
        <span className="flex min-w-0 flex-wrap gap-x-2 text-muted wide:flex-1">
          <span className="truncate">{version.user_id === "" ? t("versions.installed") : who}</span>
          <Time at={version.created_at} inSentence />
        </span>
      </div>
      {!current && (
        <Button
          icon={History}
          aria-label={t("versions.back", { version: version.version })}
          onClick={() => setConfirming(true)}
        >
          {t("versions.restore")}
        </Button>
      )}
      {isConfirming && (
        <RestoreDialog one={one} to={version.version} onClose={() => setConfirming(false)} />
      )}
    </li>
  )
}

interface RestoreDialogProps {
  one: FunctionRecord
  to: number
  onClose: () => void
}

/** Shows what restoring a version would change, and restores it. */
const RestoreDialog = ({ one, to, onClose }: RestoreDialogProps) => {
  const old = useQuery(versionQuery(one.id, to))
  const restore = async (): Promise<void> => {
    const saved = await api.post("/api/v1/functions/id/:id/versions/:version/restore", {
      params: { id: one.id, version: String(to) },
    })
    await showSavedFunction(saved)
  }
  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={t("versions.back", { version: to })}
      action={t("versions.back", { version: to })}
      onConfirm={restore}
    >
      <p className="mb-3">{t("versions.backHelp")}</p>
      <QueryResult query={old} rows={4}>
        {({ content }) =>
          content === one.content ? (
            <p>{t("versions.same")}</p>
          ) : (
            <DifferenceView
              before={one.content}
              after={content}
              label={t("functions.difference")}
            />
          )
        }
      </QueryResult>
    </ConfirmDialog>
  )
}
