import { Cloud, Plug, Server } from "lucide-react"
import type { ProviderInfo } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import type { ConnectionValues } from "./connection-form.tsx"

const listPresets = (providers: readonly ProviderInfo[]) =>
  providers.flatMap(({ kind, presets }) =>
    // The only preset of a kind is recognized at any address.
    presets.map((preset) => ({ ...preset, kind, isOnly: presets.length === 1 })),
  )

type PresetValues = Pick<ConnectionValues, "kind" | "name" | "base_url">

const valuesOf = ({ kind, name, base_url }: PresetValues) => ({ kind, name, base_url })

const otherConnection: ConnectionValues = { kind: "openai", name: "", base_url: "", api_key: "" }

/** The values of the form for a new connection: those of a hosted service. */
export const createConnectionValues = (providers: readonly ProviderInfo[]): ConnectionValues => {
  const preset = listPresets(providers).find(
    ({ kind, is_local }) => !is_local && kind === otherConnection.kind,
  )
  return { ...otherConnection, ...(preset && valuesOf(preset)) }
}

interface ProviderTilesProps {
  providers: readonly ProviderInfo[]
  values: ConnectionValues
  set: (changes: Partial<ConnectionValues>) => void
}

/** Fills in the name and the address of a provider. */
export const ProviderTiles = ({ providers, values, set }: ProviderTilesProps) => {
  const presets = listPresets(providers)
  const chosen = presets.find(
    ({ kind, base_url, isOnly }) =>
      values.kind === kind && (isOnly || base_url === values.base_url),
  )
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{t("label.provider")}</legend>
      <div className="grid grid-cols-2 gap-2 wide:grid-cols-3">
        {presets.map((preset) => (
          <Tile
            key={preset.name}
            icon={preset.is_local ? Server : Cloud}
            name={preset.name}
            note={t(preset.is_local ? "providers.local" : "providers.hosted")}
            isChosen={preset === chosen}
            onChoose={() => set(valuesOf(preset))}
          />
        ))}
        <Tile
          icon={Plug}
          name={t("providers.other")}
          note={t("providers.compatible")}
          isChosen={chosen === undefined}
          onChoose={() => set({ ...otherConnection, api_key: values.api_key })}
        />
      </div>
    </fieldset>
  )
}

interface TileProps {
  icon: typeof Cloud
  name: string
  note: string
  isChosen: boolean
  onChoose: () => void
}

const Tile = ({ icon: Icon, name, note, isChosen, onChoose }: TileProps) => (
  <button
    type="button"
    aria-pressed={isChosen}
    onClick={onChoose}
    className={classes(
      "flex min-w-0 items-center gap-2.5 rounded border px-3 py-2 text-left transition-colors",
      isChosen ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
    )}
  >
    <Icon
      aria-hidden
      className={classes("size-4 shrink-0", isChosen ? "text-accent" : "text-muted")}
    />
    <span className="min-w-0">
      <span className="block truncate text-sm font-medium">{name}</span>
      <span className="block truncate text-xs text-muted">{note}</span>
    </span>
  </button>
)
