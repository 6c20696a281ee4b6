import { CopyButton } from "../../ui/copy-button.tsx"

interface CopyableValueProps {
  label: string
  text: string
  /** Names the button: "Copy base URL". */
  copy: string
}

/** A value to paste into another program. */
export const CopyableValue = ({ label, text, copy }: CopyableValueProps) => (
  <div className="flex flex-col gap-1">
    <span className="text-sm font-medium">{label}</span>
    <div className="flex items-center gap-2 rounded border border-line bg-surface py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 text-xs break-all">{text}</code>
      <CopyButton text={text} label={copy} />
    </div>
  </div>
)
