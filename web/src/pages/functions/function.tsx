import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Outlet } from "@tanstack/react-router"
import { Download, EllipsisVertical, MessageSquare, SquareFunction, Trash2 } from "lucide-react"
import { useState } from "react"
import type { FunctionRecord } from "../../../../server/src/functions/schema.ts"
import { downloadTextFile } from "../../browser/download.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError, api } from "../../lib/api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useLeavePage } from "../../lib/use-leave-page.ts"
import { ButtonLink, IconButton } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { descriptionOf, functionKind } from "./function-descriptions.ts"
import { functionQuery } from "./function-queries.ts"
import { EnabledStatus, EnabledSwitch } from "./list.tsx"

const route = getRouteApi("/inside/functions/$functionId")

/** A function's page, with a tab and a URL for each part. */
export const FunctionPage = () => {
  const { functionId } = route.useParams()
  const found = useQuery(functionQuery(functionId))
  const above = <BackLink to="/functions">{t("label.functions")}</BackLink>
  if (found.error instanceof ApiError && found.error.status === 404) {
    return (
      <Page title={functionId} breadcrumb={above}>
        <EmptyState icon={SquareFunction} title={t("functions.gone")}>
          {t("functions.goneHelp")}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={found.data?.name ?? functionId}
      lead={found.data && descriptionOf(found.data)}
      breadcrumb={above}
      action={found.data && <Actions one={found.data} />}
    >
      <QueryResult query={found} rows={12}>
        {(one) => (
          <>
            <LinkTabs
              label={t("functions.tabs")}
              tabs={[
                { to: "/functions/$functionId", label: t("label.code"), exact: true },
                { to: "/functions/$functionId/settings", label: t("label.settings") },
                { to: "/functions/$functionId/access", label: t("label.access") },
                { to: "/functions/$functionId/versions", label: t("functions.versions") },
                { to: "/functions/$functionId/runs", label: t("functions.runs") },
              ]}
            />
            <Outlet key={one.id} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const Actions = ({ one }: { one: FunctionRecord }) => {
  const [isConfirming, setConfirming] = useState(false)
  const model = functionKind(one) === "model" ? one.models[0]?.id : undefined
  const { id, name, meta, content, hosts, filter_models, filter_order } = one
  const exported = { functions: [{ id, name, meta, content, hosts, filter_models, filter_order }] }
  return (
    <>
      <span className="flex h-8 items-center gap-2 text-sm">
        <EnabledStatus on={one.is_active} />
        <EnabledSwitch one={one} />
      </span>
      {model !== undefined && (
        <span className="flex h-8 items-center text-xs">
          <code className="max-w-44 truncate">{model}</code>
          <CopyButton text={model} label={t("models.copyId")} />
        </span>
      )}
      {/* Together, so that the menu never stands alone in a row. */}
      <span className="flex gap-2">
        {model !== undefined && one.is_active && (
          <ButtonLink to="/" search={{ model }} icon={MessageSquare}>
            {t("action.startChat")}
          </ButtonLink>
        )}
        <Menu trigger={<IconButton icon={EllipsisVertical} label={t("action.more")} />}>
          <MenuItem
            icon={Download}
            onClick={() =>
              downloadTextFile(`${id}.json`, "application/json", JSON.stringify(exported, null, 2))
            }
          >
            {t("list.export")}
          </MenuItem>
          <MenuItem icon={Trash2} danger onClick={() => setConfirming(true)}>
            {t("functions.delete")}
          </MenuItem>
        </Menu>
      </span>
      <Removal one={one} isConfirming={isConfirming} onClose={() => setConfirming(false)} />
    </>
  )
}

interface RemovalProps {
  one: FunctionRecord
  isConfirming: boolean
  onClose: () => void
}

const Removal = ({ one: { id, name }, isConfirming, onClose }: RemovalProps) => {
  const leave = useLeavePage()
  const remove = async (): Promise<void> => {
    await api.delete("/api/v1/functions/id/:id/delete", { params: { id } })
    await leave({ to: "/functions", invalidates: [["functions"], ["models"]] })
    queryClient.removeQueries({ queryKey: ["functions", id] })
  }
  return (
    <ConfirmDialog
      open={isConfirming}
      onClose={onClose}
      title={t("action.deleteOne", { name })}
      action={t("functions.delete")}
      danger
      typed={id}
      onConfirm={remove}
    >
      {t("functions.deleteHelp")}
    </ConfirmDialog>
  )
}
