import { Check } from "lucide-react"
import { type ReactNode, useEffect } from "react"
import { chooseLanguage, currentLanguage, languages, t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { Logo } from "../../ui/logo.tsx"

interface SignedOutLayoutProps {
  title: string
  lead: ReactNode
  children?: ReactNode
  step?: number
}

/** Layout of the pages before sign-in: a single card in the center. */
export const SignedOutLayout = ({ title, lead, children, step }: SignedOutLayoutProps) => {
  useEffect(() => {
    document.title = `${title} · Portico`
  }, [title])
  return (
    <div className="flex min-h-full flex-col items-center bg-surface px-4 py-8">
      <main className="my-auto flex w-full max-w-[25rem] flex-col gap-5 rounded-lg border border-line bg-bg p-6">
        <div className="flex flex-col gap-3">
          <p className="flex items-center gap-2 text-sm font-semibold">
            <Logo /> Portico
          </p>
          {step !== undefined && <SetupSteps at={step} />}
          <div>
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {lead && <p className="mt-1 text-sm text-balance text-muted">{lead}</p>}
          </div>
        </div>
        {children}
      </main>
      <footer className="mt-6 flex gap-1 text-xs">
        {Object.entries(languages).map(([code, { name }]) => (
          <button
            key={code}
            type="button"
            lang={code}
            aria-pressed={code === currentLanguage()}
            onClick={() => void chooseLanguage(code === "de" ? "de" : "en")}
            className={classes(
              "rounded-sm px-2 py-1",
              code === currentLanguage() ? "font-medium" : "text-muted hover:text-text",
            )}
          >
            {name}
          </button>
        ))}
      </footer>
    </div>
  )
}

/** Progress through the setup; the steps before `at` are done. */
export const SetupSteps = ({ at }: { at: number }) => (
  <ol className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
    {(["label.account", "label.models", "welcome.stepChat"] as const).map((key, index) => (
      <li
        key={key}
        aria-current={index === at ? "step" : undefined}
        className={classes(
          "flex items-center gap-1.5",
          index === at ? "font-medium text-accent" : "text-muted",
        )}
      >
        {index < at ? (
          <Check aria-label={t("welcome.stepDone")} className="size-3.5 text-ok" />
        ) : (
          <span className="tabular">{index + 1}</span>
        )}
        {t(key)}
      </li>
    ))}
  </ol>
)
