import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { ComboboxField, toChoice } from "../../ui/combobox.tsx"

import { Snippet } from "../../ui/snippet.tsx"
import { createApiSnippets } from "./api-snippets.ts"

interface KeySnippetsProps {
  secret: string
  /** Fixes the model; otherwise it can be chosen. */
  model?: string
}

export const KeySnippets = ({ secret, model: fixed }: KeySnippetsProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  const usable = models.filter(({ capabilities }) => !capabilities.embedding)
  const model = fixed ?? chosen ?? usable[0]?.id ?? "model-id"
  const { curl, python, typescript } = createApiSnippets({
    origin: window.location.origin,
    model,
    secret,
  })
  return (
    <div className="flex flex-col gap-3">
      {fixed === undefined && usable.length > 0 && (
        <ComboboxField
          label={t("label.model")}
          className="wide:max-w-80"
          choices={usable.map(toChoice)}
          value={model}
          onValue={setChosen}
        />
      )}
      <Snippet
        tabs={[
          { name: "curl", code: curl },
          { name: "Python", code: python },
          { name: "TypeScript", code: typescript },
        ]}
      />
    </div>
  )
}
