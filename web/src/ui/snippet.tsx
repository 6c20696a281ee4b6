import { type ReactNode, useId, useState } from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"
import { ScrollableCode } from "./code-block.tsx"
import { CopyButton } from "./copy-button.tsx"

export interface SnippetTab {
  name: string
  code: string
  /** What belongs to the code, shown above it. */
  lead?: ReactNode
}

/** A code sample in several languages, with tabs and a copy button. */
export const Snippet = ({ tabs }: { tabs: readonly SnippetTab[] }) => {
  const [shown, setShown] = useState(0)
  const id = useId()
  const tab = tabs[shown]
  const move = (step: number): void => {
    const next = (shown + step + tabs.length) % tabs.length
    setShown(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div className="overflow-hidden rounded border border-line">
      <div className="flex items-center gap-1 border-b border-line bg-surface pr-1 pl-2">
        <div role="tablist" aria-label={t("snippet.languages")} className="flex flex-1 gap-1">
          {tabs.map(({ name }, index) => (
            <button
              key={name}
              id={`${id}-tab-${index}`}
              type="button"
              role="tab"
              aria-selected={index === shown}
              aria-controls={`${id}-panel`}
              tabIndex={index === shown ? 0 : -1}
              onClick={() => setShown(index)}
              onKeyDown={({ key }) => {
                if (key === "ArrowRight") move(1)
                if (key === "ArrowLeft") move(-1)
              }}
              className={classes(
                "border-b-2 px-2 py-2 text-xs -outline-offset-2",
                index === shown
                  ? "border-accent font-medium"
                  : "border-transparent text-muted hover:text-text",
              )}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={tab?.code ?? ""} label={t("snippet.copy")} />
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-tab-${shown}`}>
        {tab?.lead && <div className="px-4 pt-4">{tab.lead}</div>}
        <ScrollableCode code={tab?.code ?? ""} />
      </div>
    </div>
  )
}
