import { useQuery } from "@tanstack/react-query"
import { Boxes, Trash2 } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { callRaw } from "../../lib/api.ts"
import { formatBytes } from "../../lib/format.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { BackLink, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { PullForm } from "./pull-form.tsx"
import { installedModelsQuery, loadedModelsQuery, runtimePath } from "./runtime-queries.ts"

const secondsOf = (time: string | undefined): number | null => {
  const at = Date.parse(time ?? "")
  return Number.isNaN(at) ? null : Math.floor(at / 1000)
}

export const RuntimePage = () => {
  const { role } = useCurrentUser()
  return (
    <Page
      title={t("label.runtime")}
      lead={t("runtime.lead")}
      breadcrumb={<BackLink to="/models">{t("label.models")}</BackLink>}
    >
      {role === "admin" && (
        <Section title={t("runtime.pull")} lead={t("runtime.pullLead")}>
          <PullForm />
        </Section>
      )}
      <LoadedModels />
      <InstalledModels mayDelete={role === "admin"} />
    </Page>
  )
}

const LoadedModels = () => {
  const loaded = useQuery(loadedModelsQuery)
  return (
    <Section title={t("runtime.loaded")} lead={t("runtime.loadedLead")}>
      <QueryResult query={loaded} rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p className="text-sm text-muted">{t("runtime.noneLoaded")}</p>
          ) : (
            <Table
              label={t("runtime.loaded")}
              items={items}
              idOf={({ name }) => name}
              columns={[
                {
                  id: "name",
                  header: t("label.name"),
                  grow: true,
                  cell: ({ name }) => <NameCell>{name}</NameCell>,
                },
                {
                  id: "memory",
                  header: t("label.memory"),
                  align: "right",
                  cell: ({ size_vram, size }) => formatBytes(size_vram || size || 0),
                },
                {
                  id: "until",
                  header: t("runtime.until"),
                  cell: ({ expires_at }) => <Time at={secondsOf(expires_at)} />,
                },
              ]}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

const InstalledModels = ({ mayDelete }: { mayDelete: boolean }) => {
  const tags = useQuery(installedModelsQuery)
  return (
    <Section title={t("runtime.installed")}>
      <QueryResult query={tags} rows={4}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={Boxes} title={t("runtime.none")}>
              {t("runtime.noneHelp")}
            </EmptyState>
          ) : (
            <Table
              label={t("runtime.installed")}
              items={items}
              idOf={({ name }) => name}
              columns={[
                {
                  id: "name",
                  header: t("label.name"),
                  grow: true,
                  cell: ({ name, details }) => (
                    <NameCell
                      detail={[details?.parameter_size, details?.quantization_level]
                        .filter(Boolean)
                        .join(" · ")}
                    >
                      {name}
                    </NameCell>
                  ),
                },
                {
                  id: "size",
                  header: t("label.size"),
                  align: "right",
                  cell: ({ size }) => formatBytes(size ?? 0),
                },
                {
                  id: "changed",
                  header: t("runtime.changed"),
                  wideOnly: true,
                  cell: ({ modified_at }) => <Time at={secondsOf(modified_at)} />,
                },
                {
                  id: "delete",
                  header: "",
                  align: "right",
                  cell: ({ name }) => mayDelete && <DeleteButton name={name} />,
                },
              ]}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

const DeleteButton = ({ name }: { name: string }) => {
  const remove = async (): Promise<void> => {
    await callRaw("DELETE", await runtimePath("delete"), { body: { model: name } })
    await invalidateQueries([["runtime"], ["models"]])
  }
  const title = t("action.deleteOne", { name })
  return (
    <ConfirmTrigger
      trigger={
        <Button variant="danger" icon={Trash2} aria-label={title}>
          {t("action.delete")}
        </Button>
      }
      title={title}
      action={t("models.delete")}
      danger
      onConfirm={remove}
    >
      {t("runtime.deleteHelp")}
    </ConfirmTrigger>
  )
}
