import { ChevronDown } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { IconButton } from "../../ui/button.tsx"
import { LazyTrigger } from "../../ui/lazy-trigger.tsx"

const load = () => import("./regenerate-models.tsx")
const RegenerateModels = lazyComponent(async () => (await load()).RegenerateModels)

/** Opens the list of models to answer with. */
export const RegenerateWith = ({ onModel }: { onModel: (id: string) => void }) => {
  const trigger = (
    <IconButton
      icon={ChevronDown}
      label={t("answer.againWith")}
      aria-haspopup="listbox"
      className="w-6"
    />
  )
  return (
    <LazyTrigger trigger={trigger} kind="listbox" load={load}>
      <RegenerateModels trigger={trigger} onModel={onModel} />
    </LazyTrigger>
  )
}
