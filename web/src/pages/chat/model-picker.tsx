import { ChevronDown, Plus, Star, X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { LazyTrigger } from "../../ui/lazy-trigger.tsx"
import { toggleFavorite, useChatModels } from "./chat-models.ts"
import { focusComposer } from "./composer-focus.ts"
import type { ModelListProps } from "./model-list.tsx"

const load = () => import("./model-list.tsx")
const ModelList = lazyComponent(async () => (await load()).ModelList)

/** A button that opens a list of models, which is loaded then: most chats keep their model. */
export const LazyModelList = (props: ModelListProps) => (
  <LazyTrigger trigger={props.trigger} kind="listbox" load={load}>
    <ModelList {...props} />
  </LazyTrigger>
)

export interface ModelPickerProps {
  chosen: readonly string[]
  onChosen: (ids: string[]) => void
}

const maxModels = 4

/** The models that the next message is sent to: one, or several side by side. */
export const ModelPicker = ({ chosen, onChosen }: ModelPickerProps) => {
  const { models, favorites } = useChatModels()
  const isMoreOffered = models.some(({ id }) => !chosen.includes(id))
  const nameOf = (id: string): string => models.find((model) => model.id === id)?.name ?? id
  const only = chosen.length === 1 ? chosen[0] : undefined
  const choose = (ids: string[]): void => {
    onChosen(ids)
    focusComposer()
  }
  const isFavorite = only !== undefined && favorites.has(only)
  return (
    <div className="flex min-w-0 items-center gap-1 overflow-x-auto [scrollbar-width:none]">
      {chosen.map((id, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the button stays when its model changes
          key={index}
          className={classes(
            "flex min-w-0 items-center",
            // Several names do not fit on a narrow page, which scrolls them instead.
            only === undefined && "max-wide:max-w-40 max-wide:shrink-0",
          )}
        >
          <LazyModelList
            value={id}
            onChoose={(next) =>
              onChosen([...new Set(chosen.map((other, at) => (at === index ? next : other)))])
            }
            trigger={
              <button
                type="button"
                aria-label={`${t("label.model")}: ${nameOf(id)}`}
                className="flex h-9 min-w-0 items-center gap-1 rounded px-2 text-sm font-medium hover:bg-hover"
              >
                <span className="truncate">{nameOf(id)}</span>
                <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
              </button>
            }
          />
          {chosen.length > 1 && (
            <IconButton
              icon={X}
              label={t("chat.removeModel", { model: nameOf(id) })}
              onClick={() => choose(chosen.filter((other) => other !== id))}
            />
          )}
        </span>
      ))}
      {only !== undefined && (
        <IconButton
          icon={Star}
          label={t(isFavorite ? "chat.unfavourite" : "chat.favourite")}
          aria-pressed={isFavorite}
          className={isFavorite ? "[&_svg]:fill-current" : ""}
          onClick={() => toggleFavorite(only, favorites)}
        />
      )}
      {chosen.length > 0 && chosen.length < maxModels && isMoreOffered && (
        <LazyModelList
          value={null}
          except={chosen}
          onChoose={(id) => onChosen([...chosen, id])}
          trigger={
            <button
              type="button"
              aria-label={t("chat.addModel")}
              title={t("chat.addModel")}
              className="flex h-8 min-w-8 shrink-0 items-center justify-center gap-1 rounded text-sm text-muted hover:bg-hover hover:text-text wide:px-2"
            >
              <Plus aria-hidden className="size-4" />
              <span className="hidden wide:inline">{t("chat.compare")}</span>
            </button>
          }
        />
      )}
    </div>
  )
}
