import { keyLabels } from "../lib/shortcuts.ts"

/** A key combination with the labels of this platform. */
export const KeyCombination = ({ of }: { of: string }) => (
  <span className="inline-flex gap-0.5">
    {keyLabels(of).map((name) => (
      <kbd
        key={name}
        className="min-w-5 rounded-sm border border-line bg-surface px-1 text-center font-sans text-xs leading-4.5 text-muted"
      >
        {name}
      </kbd>
    ))}
  </span>
)
