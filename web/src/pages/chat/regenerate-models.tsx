import type { ReactElement } from "react"
import { useChatModels } from "./chat-models.ts"
import { ModelList } from "./model-list.tsx"

interface RegenerateModelsProps {
  trigger: ReactElement
  onModel: (id: string) => void
}

export const RegenerateModels = ({ trigger, onModel }: RegenerateModelsProps) => {
  const { models, favourites } = useChatModels()
  return (
    <ModelList
      trigger={trigger}
      models={models}
      favorites={favourites}
      value={null}
      onChoose={onModel}
    />
  )
}
