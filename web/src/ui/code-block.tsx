import { t } from "../i18n/translate.ts"
import { CopyButton } from "./copy-button.tsx"

/** Code that scrolls sideways instead of wrapping. */
export const ScrollableCode = ({ code }: { code: string }) => (
  <pre
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    tabIndex={0}
    className="overflow-x-auto bg-bg p-4 text-xs leading-5 -outline-offset-2"
  >
    <code>{code}</code>
  </pre>
)

/** Code with a title, such as the file that it belongs to, and a copy button. */
export const CodeBlock = ({ title, code }: { title: string; code: string }) => (
  <figure aria-label={title} className="overflow-hidden rounded border border-line">
    <figcaption className="flex items-center gap-2 border-b border-line bg-surface py-1.5 pr-1.5 pl-4">
      <span className="min-w-0 flex-1 text-xs font-medium break-all">{title}</span>
      <CopyButton
        text={code}
        label={t("snippet.copyOne", { name: title })}
        shortLabel={t("action.copy")}
      />
    </figcaption>
    <ScrollableCode code={code} />
  </figure>
)
