/** The first letter or digit of a name: "L" for "llama3.2". */
const initialOf = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? "·"

/** A tinted square with the model's initial. */
export const ModelAvatar = ({ name }: { name: string }) => (
  <span
    aria-hidden
    className="flex size-6 shrink-0 items-center justify-center rounded-md bg-accent-soft text-xs font-semibold text-accent select-none"
  >
    {initialOf(name)}
  </span>
)
