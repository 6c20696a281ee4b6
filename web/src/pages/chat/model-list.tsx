import { Combobox } from "@base-ui/react/combobox"
import { Brain, Check, Cpu, Eye, Wrench } from "lucide-react"
import { type ReactElement, useRef } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { EndOfLifeNote } from "../../ui/end-of-life-note.tsx"
import { useChatModels } from "./chat-models.ts"
import { findComposerToFocus } from "./composer-focus.ts"

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
        <span key={word} title={t(word)}>
          <Icon role="img" aria-label={t(word)} />
        </span>
      ))}
  </span>
)

/** 131072 as 128K, 200000 as 200K. */
const formatContext = (tokens: number): string =>
  tokens % 1024 === 0
    ? `${tokens / 1024}K`
    : new Intl.NumberFormat("en", { notation: "compact" }).format(tokens)

/** Provider, context length, and the connections that the heading does not name. */
const detailsOf = (model: ModelRecord, heading: string): string => {
  const { owned_by, context_length, connections, available } = model
  const parts = [
    owned_by,
    context_length !== undefined && t("composer.context", { size: formatContext(context_length) }),
    connections.flatMap(({ name }) => (name === heading ? [] : name)).join(", "),
    !available && t("label.unavailable"),
  ]
  return parts.filter(Boolean).join(" · ")
}

interface ModelGroup {
  /** Also the key, as Base UI expects it. */
  value: string
  items: ModelRecord[]
}

/** Favorites first, then the models of each connection, functions, and customized models. */
const groupModels = (
  models: readonly ModelRecord[],
  favorites: ReadonlySet<string>,
): ModelGroup[] => {
  const groupOf = (model: ModelRecord): string => {
    if (favorites.has(model.id)) return t("chat.favourites")
    if (model.base_model_id !== undefined) return t("composer.customModels")
    if (model.connection_type === "function") return t("label.functions")
    return model.connections[0]?.name ?? model.owned_by
  }
  const rankByName = new Map([
    [t("chat.favourites"), -1],
    [t("label.functions"), 1],
    [t("composer.customModels"), 2],
  ])
  const rankOf = ({ value }: ModelGroup): number => rankByName.get(value) ?? 0
  return [...Map.groupBy(models, groupOf)]
    .map(([value, items]) => ({ value, items }))
    .sort((one, other) => rankOf(one) - rankOf(other))
}

const ModelOption = ({ model, heading }: { model: ModelRecord; heading: string }) => (
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
      <span className="block truncate">{model.name}</span>
      {model.description && (
        <span className="block truncate text-xs text-muted">{model.description}</span>
      )}
      <span className="block truncate text-xs text-muted">{detailsOf(model, heading)}</span>
      <EndOfLifeNote facts={model} />
    </span>
    <Abilities model={model} />
  </Combobox.Item>
)

export interface ModelListProps {
  trigger: ReactElement<object>
  /** The ID of the chosen model. */
  value: string | null
  /** IDs of models that are not offered. */
  except?: readonly string[]
  onChoose: (id: string) => void
}

const matches = (model: ModelRecord, query: string): boolean => {
  const { name, id, tags, owned_by, connections } = model
  const words = [name, id, ...tags, owned_by, ...connections.map((one) => one.name)]
  const text = words.join(" ").toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Called when the list opens; its height is known in the next frame. */
const scrollToChosen = (list: HTMLDivElement | null): void => {
  requestAnimationFrame(() => {
    const chosen = list?.querySelector("[aria-selected=true]")
    if (!list || !chosen) return
    const { top, height } = chosen.getBoundingClientRect()
    list.scrollTop += top + height / 2 - list.getBoundingClientRect().top - list.clientHeight / 2
  })
}

/** A searchable list of models, initially open. */
export const ModelList = ({ trigger, value, except = [], onChoose }: ModelListProps) => {
  const { models, favorites } = useChatModels()
  const isChosen = useRef(false)
  const offered = models.filter(({ id }) => !except.includes(id))
  return (
    <Combobox.Root
      defaultOpen
      autoHighlight
      items={groupModels(offered, favorites)}
      value={models.find(({ id }) => id === value) ?? null}
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
            aria-label={t("label.model")}
            finalFocus={() => (isChosen.current && findComposerToFocus()) || true}
            className="flex max-h-[min(26rem,var(--available-height))] w-[min(24rem,calc(100vw-1rem))] flex-col overflow-hidden rounded border border-line bg-raised shadow-float"
          >
            <Combobox.Input
              aria-label={t("action.searchModels")}
              placeholder={t("action.searchModels")}
              className="h-10 shrink-0 border-b border-line bg-raised px-3 text-sm outline-none"
            />
            <Combobox.Empty className="px-3 py-2 text-sm text-muted empty:p-0">
              {t("list.nothing")}
            </Combobox.Empty>
            <Combobox.List ref={scrollToChosen} className="overflow-y-auto p-1 empty:p-0">
              {({ value: name, items }: ModelGroup) => (
                <Combobox.Group key={name} items={items}>
                  <Combobox.GroupLabel className="truncate px-2 pt-2 pb-1 text-xs font-medium text-muted">
                    {name}
                  </Combobox.GroupLabel>
                  <Combobox.Collection>
                    {(model: ModelRecord) => (
                      <ModelOption key={model.id} model={model} heading={name} />
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
