import { useMutation } from "@tanstack/react-query"
import { Download, Square, Trash2 } from "lucide-react"
import type { ModelInstallationStatus } from "../../../../server/src/knowledge/embedding/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatBytes } from "../../lib/format.ts"
import { embeddingStatusQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { Status } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"

const path = "/api/v1/embedding-model/installations/:name"

const refreshStatus = (): Promise<void> => invalidateQueries([embeddingStatusQuery.queryKey])

const Progress = ({ model: { name, received, size } }: { model: ModelInstallationStatus }) => (
  <div className="flex flex-col gap-1.5">
    <progress
      aria-label={t("semantic.installing", { model: name })}
      value={received}
      max={size}
      className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
    />
    <p className="text-xs text-muted tabular">
      {formatBytes(received)} / {formatBytes(size)}
    </p>
  </div>
)

interface ActionProps {
  model: ModelInstallationStatus
  install: () => void
  cancel: () => void
  /** Rejects if the model cannot be removed. */
  remove: () => Promise<unknown>
  /** A request is being sent. */
  isBusy: boolean
}

/** What can be done in the model's state. */
const Action = ({ model: { name, state }, install, cancel, remove, isBusy }: ActionProps) => {
  if (state === "installing") {
    return (
      <Button icon={Square} busy={isBusy} onClick={cancel}>
        {t("action.cancel")}
      </Button>
    )
  }
  if (state === "installed") {
    return (
      <ConfirmTrigger
        trigger={<Button icon={Trash2}>{t("action.remove")}</Button>}
        title={t("semantic.removeTitle", { model: name })}
        action={t("semantic.remove", { model: name })}
        onConfirm={remove}
      >
        {t("semantic.removeHelp")}
      </ConfirmTrigger>
    )
  }
  return (
    <Button icon={Download} busy={isBusy || state === "verifying"} onClick={install}>
      {t("semantic.install", { model: name })}
    </Button>
  )
}

/** A model that the gateway can run itself: installs and removes it. */
export const InstallableEmbeddingModel = ({ model }: { model: ModelInstallationStatus }) => {
  const params = { name: model.name }
  const options = { onSettled: refreshStatus }
  const install = useMutation({ mutationFn: () => api.post(path, { params }), ...options })
  const remove = useMutation({ mutationFn: () => api.delete(path, { params }), ...options })
  const { name, size, license, state, problem, problem_reference } = model
  return (
    <div className="flex flex-col gap-3 rounded border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-64 text-sm">
          <p className="font-medium">
            {name} · {formatBytes(size)} · {t("semantic.license", { license })}
          </p>
          <p className="text-muted">{t("semantic.installable")}</p>
        </div>
        <Action
          model={model}
          install={() => install.mutate()}
          cancel={() => remove.mutate()}
          remove={() => remove.mutateAsync()}
          isBusy={install.isPending || remove.isPending}
        />
      </div>
      {state === "installing" && <Progress model={model} />}
      {state === "verifying" && <p className="text-sm text-muted">{t("semantic.verifying")}</p>}
      {state === "installed" && <Status tone="ok">{t("semantic.installed")}</Status>}
      {problem !== null && state !== "installing" && (
        <Status tone="warn">{translateServerText(problem, problem_reference)}</Status>
      )}
      {install.error && <ErrorNote error={install.error} retry={() => install.mutate()} />}
      {remove.error && state !== "installed" && <ErrorNote error={remove.error} />}
    </div>
  )
}
