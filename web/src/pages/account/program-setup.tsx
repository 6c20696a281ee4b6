import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { CreatedApiKey } from "../../../../server/src/auth/schema.ts"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { type ComboboxChoice, ComboboxField, toChoice } from "../../ui/combobox.tsx"

import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SelectField } from "../../ui/select.tsx"
import { isChatModel, useDefaultModels } from "../chat/chat-models.ts"
import { NoModels } from "../models/no-models.tsx"
import { ProgramChooser } from "./program-chooser.tsx"
import { CopyableValue, ProgramStepList } from "./program-step-list.tsx"
import { isProgramAllowed, keyPlaceholder, type Platform, type Program } from "./program-steps.ts"

interface ProgramSetupProps {
  program: Program
  onProgram: (program: Program) => void
  /** A key whose secret is still known. */
  created: CreatedApiKey | null
  /** Shown between the address and the model. */
  keyField?: ReactNode
}

/** Chooses a program and a model, and shows what to paste into the program. */
export const ProgramSetup = (props: ProgramSetupProps) => {
  const models = useQuery(modelsQuery)
  return (
    <QueryResult query={models} rows={6}>
      {(all) => <LoadedSetup {...props} models={all.filter(isChatModel)} />}
    </QueryResult>
  )
}

/** The models that can be used with the key. */
const createChoices = (
  models: readonly ModelRecord[],
  key: CreatedApiKey | null,
): ComboboxChoice[] => {
  const allowed = key?.allowed_models ?? models.map(({ id }) => id)
  return allowed.map((id) => toChoice(models.find((model) => model.id === id) ?? { id, name: id }))
}

const detectPlatform = (): Platform =>
  navigator.userAgent.includes("Windows") ? "windows" : "posix"

const LoadedSetup = ({
  program,
  onProgram,
  created,
  keyField,
  models,
}: ProgramSetupProps & { models: readonly ModelRecord[] }) => {
  const [chosen, setChosen] = useState<string | null>(null)
  const [platform, setPlatform] = useState(detectPlatform)
  const [preferred] = useDefaultModels(models)
  const choices = createChoices(models, created)
  const { value: model } =
    choices.find(({ value }) => value === chosen) ??
    choices.find(({ value }) => value === preferred) ??
    choices[0] ??
    {}
  if (model === undefined) return <NoModels />
  const { origin } = window.location
  const secret = created?.api_key ?? keyPlaceholder
  return (
    <>
      <ProgramChooser program={program} onProgram={onProgram} />
      <div className="flex flex-col gap-0.5">
        <p className="text-sm font-medium">{t("label.address")}</p>
        <CopyableValue name={t("label.address")} value={origin} />
      </div>
      {keyField}
      <div className="grid gap-4 wide:grid-cols-2">
        <ComboboxField
          label={t("label.model")}
          choices={choices}
          value={model}
          onValue={setChosen}
        />
        {program.hasPlatforms && (
          <SelectField
            label={t("programs.platform")}
            value={platform}
            onValue={setPlatform}
            options={[
              { value: "posix", label: t("programs.platform.posix") },
              { value: "windows", label: t("programs.platform.windows") },
            ]}
          />
        )}
      </div>
      <Section title={program.name}>
        <RouteNote program={program} created={created} />
        <ProgramStepList steps={program.createSteps({ origin, model, secret, platform })} />
      </Section>
    </>
  )
}

/** Warns about a key that is not allowed to call the program's route. */
const RouteNote = ({ program, created }: Pick<ProgramSetupProps, "program" | "created">) => {
  if (!created || isProgramAllowed(created, program)) return null
  const { name, route } = program
  return (
    <p className="rounded border border-warn/50 bg-warn-soft px-3 py-2.5 text-sm">
      {t("programs.routeDenied", { name, route })}
    </p>
  )
}
