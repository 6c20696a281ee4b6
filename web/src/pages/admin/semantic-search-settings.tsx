import { useQuery } from "@tanstack/react-query"
import type { EmbeddingStatus } from "../../../../server/src/knowledge/embedding/schema.ts"
import type { SettingsView } from "../../../../server/src/settings/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import {
  isBuiltInModel,
  isIndexChanging,
  isInstalling,
  isShippedModel,
  semanticSearchOff,
} from "../../lib/embedding-model.ts"
import { embeddingStatusQuery } from "../../lib/queries.ts"
import { Status } from "../../ui/badge.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SelectField } from "../../ui/select.tsx"
import { InstallableEmbeddingModel } from "./installable-embedding-model.tsx"
import { RecommendedEmbeddingModel } from "./recommended-embedding-model.tsx"

type Admin = NonNullable<EmbeddingStatus["admin"]>

const changingRefreshMs = 2000
const installingRefreshMs = 500

const nameOf = (id: string): string =>
  isBuiltInModel(id) ? t("semantic.builtIn", { model: id.split("/").at(-1) ?? id }) : id

/** The embedding model in use, or why there is none. */
const Provider = ({ status: { model, admin } }: { status: EmbeddingStatus }) => {
  if (admin?.choice.model === semanticSearchOff) {
    return <Status tone="plain">{t("semantic.isOff")}</Status>
  }
  const { problem, problem_reference } = admin?.choice ?? {}
  const text = problem ?? model?.reason
  const reference = problem ? problem_reference : model?.reason_reference
  return (
    <div className="flex flex-col gap-1 text-sm">
      {model && (
        <Status tone={model.available ? "ok" : "warn"}>
          {t(model.available ? "semantic.available" : "semantic.unavailable", {
            model: nameOf(model.id),
          })}
        </Status>
      )}
      {model && isShippedModel(model.id) && (
        <p className="text-muted">{t("semantic.builtInHelp")}</p>
      )}
      {!model && <Status tone="warn">{t("semantic.noIndex")}</Status>}
      {text && <p className="text-muted">{translateServerText(text, reference)}</p>}
    </div>
  )
}

const Building = ({ building }: { building: NonNullable<Admin["building"]> }) => {
  const { model, done, total } = building
  const text = t("semantic.building", { model: nameOf(model), done, total })
  return (
    <div className="flex flex-col gap-1.5">
      <progress
        aria-label={text}
        value={done}
        max={total}
        className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <p className="text-xs text-muted tabular">{text}</p>
    </div>
  )
}

/** Includes the current choice even if its model is no longer available. */
const optionsOf = (models: Admin["models"], value: string) => {
  const options = [
    { value: "", label: t("semantic.automatic") },
    ...models.map(({ id, connections }) => ({
      value: id,
      label: [nameOf(id), connections.join(", ")].filter(Boolean).join(" · "),
    })),
    { value: semanticSearchOff, label: t("semantic.off") },
  ]
  if (options.some((option) => option.value === value)) return options
  return [...options, { value, label: t("semantic.gone", { model: value }) }]
}

interface SemanticSearchProps {
  /** The setting `embedding_model`, possibly unsaved. */
  value: string
  onValue: (value: string) => void
  locked: string | undefined
  error: string | undefined
  /** Called when a pulled model has been saved, without submitting the form. */
  onSaved: (view: SettingsView) => void
}

const refreshMsOf = (status: EmbeddingStatus | undefined): number | false => {
  if (!status) return false
  if (isInstalling(status)) return installingRefreshMs
  return isIndexChanging(status) ? changingRefreshMs : false
}

/** Shows the embedding model in use and selects the one to use. */
export const SemanticSearchSettings = ({ onSaved, ...field }: SemanticSearchProps) => {
  const query = useQuery({
    ...embeddingStatusQuery,
    refetchInterval: ({ state }) => refreshMsOf(state.data),
  })
  return (
    <QueryResult query={query} rows={3}>
      {(status) => (
        <>
          <Provider status={status} />
          {status.admin?.building && <Building building={status.admin.building} />}
          <SelectField
            label={t("semantic.model")}
            help={t("semantic.modelHelp")}
            {...field}
            options={optionsOf(status.admin?.models ?? [], field.value)}
          />
          {status.admin?.installable.map((model) => (
            <InstallableEmbeddingModel key={model.id} model={model} />
          ))}
          {field.locked === undefined && status.admin && (
            <RecommendedEmbeddingModel admin={status.admin} onSaved={onSaved} />
          )}
        </>
      )}
    </QueryResult>
  )
}
