import { ChevronDown } from "lucide-react"
import { lazy, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { IconButton } from "../../ui/button.tsx"
import { LazyPopup } from "../../ui/lazy-popup.tsx"

const load = () => import("./regenerate-models.tsx")
const RegenerateModels = lazy(async () => ({ default: (await load()).RegenerateModels }))

/** Opens the list of models to answer with. The list is loaded on first hover or click. */
export const RegenerateWith = ({ onModel }: { onModel: (id: string) => void }) => {
  const [isOpened, setOpened] = useState(false)
  const trigger = (
    <IconButton
      icon={ChevronDown}
      label={t("answer.againWith")}
      aria-haspopup="listbox"
      className="w-6"
      {...(!isOpened && {
        onClick: () => setOpened(true),
        onPointerEnter: () => void load(),
      })}
    />
  )
  if (!isOpened) return trigger
  return (
    <LazyPopup fallback={trigger}>
      <RegenerateModels trigger={trigger} onModel={onModel} />
    </LazyPopup>
  )
}
