import { X } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { Field, Input, TextArea } from "../../ui/field.tsx"

export interface ChatSettings {
  system: string
  params: Record<string, unknown>
}

const numberParams = [
  {
    name: "temperature",
    label: "chat.temperature",
    help: "chat.temperatureHelp",
    min: 0,
    max: 2,
  },
  { name: "top_p", label: "chat.topP", help: null, min: 0, max: 1 },
  { name: "max_tokens", label: "chat.maxTokens", help: null, min: 1, max: 1_000_000 },
  { name: "seed", label: "chat.seed", help: null, min: 0, max: 2_147_483_647 },
] as const

const integerParams = new Set<string>(["max_tokens", "seed"])
const saveDelayMs = 600

type NumberSpec = (typeof numberParams)[number]

const readNumber = (text: string, { name, min, max }: NumberSpec): number | null => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < min || value > max) return null
  return integerParams.has(name) && !Number.isInteger(value) ? null : value
}

interface NumberFieldProps {
  spec: NumberSpec
  value: unknown
  onValue: (value: number | undefined) => void
}

const NumberField = ({ spec, value, onValue }: NumberFieldProps) => {
  const [text, setText] = useState(typeof value === "number" ? String(value) : "")
  const wrong = text !== "" && readNumber(text, spec) === null
  const error = wrong ? t("chat.number", { min: spec.min, max: spec.max }) : undefined
  return (
    <Field
      label={t(spec.label)}
      {...(spec.help && { help: t(spec.help) })}
      {...(error !== undefined && { error })}
    >
      {(controlProps) => (
        <Input
          {...controlProps}
          inputMode="decimal"
          value={text}
          onChange={(event) => {
            const next = event.target.value.replace(",", ".")
            setText(next)
            const read = next === "" ? undefined : readNumber(next, spec)
            if (read !== null) onValue(read)
          }}
        />
      )}
    </Field>
  )
}

interface SettingsPaneProps {
  settings: ChatSettings
  onSettings: (settings: ChatSettings) => void
  onClose: () => void
}

/** System prompt and parameters of a chat; saved shortly after the last change. */
export const SettingsPane = ({ settings, onSettings, onClose }: SettingsPaneProps) => {
  const [draft, setDraft] = useState<ChatSettings>({
    system: settings.system,
    params: settings.params,
  })
  const latest = useRef(onSettings)
  latest.current = onSettings
  const saved = useRef(draft)
  const newest = useRef(draft)
  newest.current = draft

  useEffect(() => {
    if (draft === saved.current) return
    const timer = setTimeout(() => {
      saved.current = draft
      latest.current(draft)
    }, saveDelayMs)
    return () => clearTimeout(timer)
  }, [draft])
  useEffect(
    () => () => {
      if (newest.current !== saved.current) latest.current(newest.current)
    },
    [],
  )
  useShortcut("escape", onClose)
  const setParam = (name: string, value: number | undefined): void => {
    const { [name]: _, ...rest } = draft.params
    setDraft({ ...draft, params: value === undefined ? rest : { ...rest, [name]: value } })
  }

  return (
    <aside
      aria-label={t("chat.settings")}
      onKeyDown={(event) => {
        // Before the page's own Escape, which stops a running answer.
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return
        event.preventDefault()
        onClose()
      }}
      className="flex w-full shrink-0 flex-col overflow-y-auto border-l border-line bg-surface max-wide:absolute max-wide:inset-0 max-wide:z-10 wide:w-80"
    >
      <div className="flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line pr-2 pl-4">
        <h2 className="text-sm font-semibold">{t("chat.settings")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </div>
      <div className="flex flex-col gap-4 p-4">
        <p className="text-sm text-muted">{t("chat.settingsLead")}</p>
        <Field label={t("chat.system")}>
          {(controlProps) => (
            <TextArea
              {...controlProps}
              value={draft.system}
              onChange={(event) => setDraft({ ...draft, system: event.target.value })}
              className="max-h-80"
            />
          )}
        </Field>
        {numberParams.map((spec) => (
          <NumberField
            key={spec.name}
            spec={spec}
            value={draft.params[spec.name]}
            onValue={(value) => setParam(spec.name, value)}
          />
        ))}
      </div>
    </aside>
  )
}
