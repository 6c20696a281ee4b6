/** The list below a combobox or select. */
export const popupClass =
  "max-h-[min(20rem,var(--available-height))] w-max min-w-(--anchor-width) max-w-[min(28rem,var(--available-width))] overflow-y-auto rounded border border-line bg-raised p-1 shadow-float"

/** A choice of such a list. */
export const optionClass =
  "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-hover"
