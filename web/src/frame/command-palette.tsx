import { Dialog } from "@base-ui/react/dialog"
import { Keyboard, Languages, LogOut, Moon } from "lucide-react"
import { type KeyboardEvent, useId, useState } from "react"
import { switchTheme } from "../browser/theme.ts"
import { chooseLanguage, currentLanguage, t } from "../i18n/translate.ts"
import { signOut, useCurrentUser } from "../lib/session.ts"
import { useGoToPage } from "../lib/use-go-to-page.ts"
import { classes } from "../ui/classes.ts"
import { MarkedText } from "../ui/marked-text.tsx"
import { Time } from "../ui/time.tsx"
import type { Command } from "./command.ts"
import { usePaletteChats } from "./palette-chats.ts"
import { palettePages } from "./palette-pages.ts"

const normalizeText = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase()

/** Matches if the label or group contains every word of the query, ignoring case and accents. */
const matchesQuery = (query: string, { label, group }: Command): boolean => {
  const text = normalizeText(`${label} ${group}`)
  return normalizeText(query)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const useCommands = (openKeys: () => void): Command[] => {
  const me = useCurrentUser()
  const go = useGoToPage()
  const pages = palettePages
    .filter(({ admin }) => !admin || me.role === "admin")
    .map(({ to, label, icon }) => ({
      id: to,
      label: t(label),
      group: t("palette.pages"),
      icon,
      run: () => go(to),
    }))
  const group = t("label.action")
  const other = currentLanguage() === "de" ? ("en" as const) : ("de" as const)
  const actions: Command[] = [
    { id: "theme", label: t("theme.switch"), group, icon: Moon, run: switchTheme },
    {
      id: "language",
      label: t("language.switch"),
      group,
      icon: Languages,
      run: () => void chooseLanguage(other),
    },
    { id: "keys", label: t("keyboard.title"), group, icon: Keyboard, run: openKeys },
    {
      id: "leave",
      label: t("session.signOut"),
      group,
      icon: LogOut,
      run: () => void signOut(),
    },
  ]
  return [...pages, ...actions]
}

interface CommandPaletteProps {
  onClose: () => void
  openKeys: () => void
}

/** The command palette (⌘K): opens pages and chats, and runs actions, by name. */
export const CommandPalette = ({ onClose, openKeys }: CommandPaletteProps) => {
  const [query, setQuery] = useState("")
  const [at, setAt] = useState(0)
  const id = useId()
  const chats = usePaletteChats(query)
  const commands = useCommands(openKeys).filter((command) => matchesQuery(query, command))
  const shown = [...commands, ...chats]
  const chosen = Math.min(at, shown.length - 1)

  const run = (command: Command | undefined): void => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      const next = (chosen + step + shown.length) % shown.length
      setAt(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" })
    }
    if (event.key === "Enter") {
      event.preventDefault()
      run(shown[chosen])
    }
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float">
          <Dialog.Title className="sr-only">{t("list.search")}</Dialog.Title>
          <input
            // biome-ignore lint/a11y/noAutofocus: it is the dialog's only control
            autoFocus
            role="combobox"
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
            aria-label={t("palette.placeholder")}
            placeholder={t("palette.placeholder")}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setAt(0)
            }}
            onKeyDown={onKey}
            className="h-12 w-full shrink-0 border-b border-line bg-raised px-4 text-base outline-none"
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={t("list.search")}
            className="overflow-y-auto p-1.5"
          >
            {shown.map((command, index) => (
              <CommandRow
                key={command.id}
                id={`${id}-${index}`}
                command={command}
                chosen={index === chosen}
                onRun={() => run(command)}
                onPointerMove={() => setAt(index)}
              />
            ))}
          </div>
          {shown.length === 0 && (
            <p className="px-4 pb-4 text-sm text-muted">{t("list.nothing")}</p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface RowProps {
  id: string
  command: Command
  chosen: boolean
  onRun: () => void
  onPointerMove: () => void
}

const CommandRow = ({ id, command, chosen, onRun, onPointerMove }: RowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={chosen}
    onClick={onRun}
    onPointerMove={onPointerMove}
    className={classes(
      "flex min-h-9 cursor-pointer items-center gap-2.5 rounded px-2.5 py-1.5 text-sm [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted",
      chosen && "bg-hover",
    )}
  >
    <command.icon aria-hidden />
    <span className="min-w-0 flex-1">
      <span className="block truncate">
        <MarkedText text={command.label} query={command.excerpt?.query ?? ""} />
      </span>
      {command.excerpt && (
        <span className="block truncate text-xs text-muted">
          <MarkedText {...command.excerpt} />
        </span>
      )}
    </span>
    <span className="text-xs text-muted">
      {command.changedAt === undefined ? command.group : <Time at={command.changedAt} />}
    </span>
  </div>
)
