import { useMutation, useQuery } from "@tanstack/react-query"
import { Download, Square } from "lucide-react"
import { useEffect, useState } from "react"
import type { EmbeddingStatus } from "../../../../server/src/knowledge/embedding/schema.ts"
import type { SettingsView } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { findPulledModel } from "../../lib/embedding-model.ts"
import { formatBytes } from "../../lib/format.ts"
import { embeddingStatusQuery } from "../../lib/queries.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { PullProgress } from "../models/pull-progress.tsx"
import { usePull } from "../models/use-pull.ts"

type Admin = NonNullable<EmbeddingStatus["admin"]>

/** How often to refetch; the gateway lists a pulled model shortly after the pull ends. */
const listingRefreshMs = 1000

interface RecommendedProps {
  admin: Admin
  onSaved: (view: SettingsView) => void
}

/** Saves a pulled model as the embedding model as soon as it is listed. */
const useSelection = ({ admin, onSaved }: RecommendedProps) => {
  const [pulled, setPulled] = useState<string | null>(null)
  const { mutate, ...save } = useMutation({
    mutationFn: (embedding_model: string) =>
      api.post("/api/v1/settings", { body: { embedding_model } }),
    onSuccess: onSaved,
  })
  const id = pulled === null ? undefined : findPulledModel(admin.models, pulled)?.id
  const isListing = pulled !== null && id === undefined
  useQuery({ ...embeddingStatusQuery, refetchInterval: isListing ? listingRefreshMs : false })
  useEffect(() => {
    if (id !== undefined) mutate(id)
  }, [id, mutate])
  return { isListing, setPulled, retry: () => id !== undefined && mutate(id), ...save }
}

/** Offers to pull a multilingual embedding model and select it. */
export const RecommendedEmbeddingModel = (props: RecommendedProps) => {
  const { recommended } = props.admin
  const { state, pull, cancel } = usePull()
  const selection = useSelection(props)
  const running = state.at === "running"
  const start = async (name: string): Promise<void> => {
    if (await pull(name)) selection.setPulled(name)
  }
  const words = [
    selection.isListing && t("semantic.listing"),
    selection.isSuccess && t("semantic.selected", { model: selection.variables }),
  ]
  return (
    <div className="flex flex-col gap-3 empty:hidden">
      {recommended && !selection.isListing && (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded border border-line bg-surface p-3">
          <div className="min-w-0 flex-1 basis-64 text-sm">
            <p className="font-medium">
              {recommended.name} · {formatBytes(recommended.size)}
            </p>
            <p className="text-muted">{t("semantic.recommended")}</p>
          </div>
          {running ? (
            <Button icon={Square} onClick={cancel}>
              {t("action.cancel")}
            </Button>
          ) : (
            <Button icon={Download} onClick={() => void start(recommended.name)}>
              {t("semantic.pull", { name: recommended.name })}
            </Button>
          )}
        </div>
      )}
      <PullProgress state={state} />
      {running && <p className="text-xs text-muted">{t("semantic.keepOpen")}</p>}
      {selection.error && <ErrorNote error={selection.error} retry={selection.retry} />}
      <p role="status" className="text-sm text-muted empty:hidden">
        {words.find(Boolean)}
      </p>
    </div>
  )
}
