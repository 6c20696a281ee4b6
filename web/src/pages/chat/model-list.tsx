import { Combobox } from "@base-ui/react/combobox"
import { Brain, Check, Cpu, Eye, Star, Wrench } from "lucide-react"
import { type ReactElement, useRef } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { findComposer } from "./composer-focus.ts"

const abilities = [
  { icon: Eye, has: (model: ModelRecord) => model.capabilities.vision === true, word: "chat.sees" },
  {
    icon: Wrench,
    has: (model: ModelRecord) => model.capabilities.tools === true,
    word: "chat.tools",
  },
  {
    icon: Brain,
    has: ({ capabilities }: ModelRecord) =>
      capabilities.thinking === true || capabilities.reasoning === true,
    word: "chat.thinks",
  },
  { icon: Cpu, has: (model: ModelRecord) => model.connection_type === "local", word: "chat.local" },
] as const

const Abilities = ({ model }: { model: ModelRecord }) => (
  <span className="flex shrink-0 gap-1.5 text-muted [&_svg]:size-3.5">
    {abilities
      .filter(({ has }) => has(model))
      .map(({ icon: Icon, word }) => (
        <Icon key={word} role="img" aria-label={t(word)} />
      ))}
  </span>
)

const noteOf = (model: ModelRecord): string => {
  const parts = [model.description || model.owned_by, !model.available && t("chat.unavailable")]
  return parts.filter(Boolean).join(" · ")
}

const ModelOption = ({ model, favorite }: { model: ModelRecord; favorite: boolean }) => (
  <Combobox.Item
    value={model}
    className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-hover"
  >
    <span className="w-4 shrink-0">
      <Combobox.ItemIndicator>
        <Check aria-hidden className="size-4 text-accent" />
      </Combobox.ItemIndicator>
    </span>
    <span className={classes("min-w-0 flex-1", !model.available && "text-muted")}>
      <span className="flex items-center gap-1.5">
        <span className="truncate">{model.name}</span>
        {favorite && (
          <Star
            role="img"
            aria-label={t("chat.favourites")}
            className="size-3 shrink-0 fill-current"
          />
        )}
      </span>
      <span className="block truncate text-xs text-muted">{noteOf(model)}</span>
    </span>
    <Abilities model={model} />
  </Combobox.Item>
)

export interface ModelListProps {
  trigger: ReactElement
  models: readonly ModelRecord[]
  favorites: ReadonlySet<string>
  value: ModelRecord | null
  onChoose: (id: string) => void
}

const matches = (model: ModelRecord, query: string): boolean => {
  const text = `${model.name} ${model.id} ${model.tags.join(" ")} ${model.owned_by}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A searchable list of models, initially open. */
export const ModelList = ({ trigger, models, favorites, value, onChoose }: ModelListProps) => {
  const isChosen = useRef(false)
  const first = models.filter(({ id }) => favorites.has(id))
  const items = [...first, ...models.filter(({ id }) => !favorites.has(id))]
  return (
    <Combobox.Root
      defaultOpen
      autoHighlight
      items={items}
      value={value}
      onOpenChange={(open) => {
        if (open) isChosen.current = false
      }}
      onValueChange={(model: ModelRecord | null) => {
        isChosen.current = model !== null
        if (model) onChoose(model.id)
      }}
      itemToStringLabel={(model: ModelRecord) => model.name}
      isItemEqualToValue={(a: ModelRecord, b: ModelRecord) => a.id === b.id}
      filter={matches}
    >
      <Combobox.Trigger render={trigger} />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50">
          <Combobox.Popup
            aria-label={t("chat.models")}
            finalFocus={() => (isChosen.current && findComposer()) || true}
            className="flex max-h-[min(26rem,var(--available-height))] w-[min(24rem,calc(100vw-1rem))] flex-col overflow-hidden rounded border border-line bg-raised shadow-float"
          >
            <Combobox.Input
              aria-label={t("chat.searchModels")}
              placeholder={t("chat.searchModels")}
              className="h-10 shrink-0 border-b border-line bg-raised px-3 text-sm outline-none"
            />
            <Combobox.Empty className="px-3 py-2 text-sm text-muted empty:p-0">
              {t("list.nothing")}
            </Combobox.Empty>
            <Combobox.List className="overflow-y-auto p-1 empty:p-0">
              {(model: ModelRecord) => (
                <ModelOption key={model.id} model={model} favorite={favorites.has(model.id)} />
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
