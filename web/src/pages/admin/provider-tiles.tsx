import { Cloud, Plug, Server } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { type ConnectionValues, defaultAddress } from "./connection-form.tsx"

interface ProviderPreset extends Pick<ConnectionValues, "kind" | "name" | "base_url"> {
  isLocal: boolean
}

const hosted = (name: string, base_url: string): ProviderPreset => ({
  kind: "openai",
  name,
  base_url,
  isLocal: false,
})
const local = (name: string, base_url: string): ProviderPreset => ({
  ...hosted(name, base_url),
  isLocal: true,
})

const openAI = hosted("OpenAI", defaultAddress.openai)

/** Providers that list their models at `/models` and accept the key as a bearer token. */
const presets: readonly ProviderPreset[] = [
  { ...local("Ollama", defaultAddress.ollama), kind: "ollama" },
  local("vLLM", "http://127.0.0.1:8000/v1"),
  local("LM Studio", "http://127.0.0.1:1234/v1"),
  openAI,
  hosted("Mistral", "https://api.mistral.ai/v1"),
  hosted("Groq", "https://api.groq.com/openai/v1"),
  hosted("OpenRouter", "https://openrouter.ai/api/v1"),
]

const valuesOf = ({ kind, name, base_url }: ProviderPreset) => ({ kind, name, base_url })

/** The values of the form for a new connection. */
export const newConnection: ConnectionValues = { ...valuesOf(openAI), api_key: "" }

interface ProviderTilesProps {
  values: ConnectionValues
  set: (changes: Partial<ConnectionValues>) => void
}

/** Fills in the name and the address of a provider. */
export const ProviderTiles = ({ values, set }: ProviderTilesProps) => {
  const chosen = presets.find(({ kind, base_url }) =>
    values.kind === "ollama" ? kind === "ollama" : base_url === values.base_url,
  )
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{t("providers.choose")}</legend>
      <div className="grid grid-cols-2 gap-2 wide:grid-cols-4">
        {presets.map((preset) => (
          <Tile
            key={preset.name}
            icon={preset.isLocal ? Server : Cloud}
            name={preset.name}
            note={t(preset.isLocal ? "providers.local" : "providers.hosted")}
            isChosen={preset === chosen}
            onChoose={() => set(valuesOf(preset))}
          />
        ))}
        <Tile
          icon={Plug}
          name={t("providers.other")}
          note={t("providers.compatible")}
          isChosen={chosen === undefined}
          onChoose={() => set({ kind: "openai", name: "", base_url: "" })}
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
