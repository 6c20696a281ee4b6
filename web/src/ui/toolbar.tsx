import { ChevronLeft, ChevronRight, Search } from "lucide-react"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { t } from "../i18n/translate.ts"
import { IconButton } from "./button.tsx"
import { Input } from "./field.tsx"
import { Select } from "./select.tsx"

/** Search and filters in a row. */
export const Toolbar = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2">{children}</div>
)

const searchDelayMs = 200

interface SearchFieldProps {
  label: string
  value: string
  onValue: (value: string) => void
}

/** Searches shortly after the last key press. */
export const SearchField = ({ label, value, onValue }: SearchFieldProps) => {
  const [text, setText] = useState(value)
  const reported = useRef(value)
  useEffect(() => {
    // Changed from outside, by navigation or by clearing the search.
    if (value === reported.current) return
    reported.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === reported.current) return
    const timer = setTimeout(() => {
      reported.current = text
      onValue(text)
    }, searchDelayMs)
    return () => clearTimeout(timer)
  }, [text, onValue])
  return (
    <div className="relative min-w-44 flex-1 wide:max-w-80">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-8"
      />
    </div>
  )
}

interface FilterProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onValue: (value: string) => void
}

/** A filter; the empty value means "all". */
export const Filter = ({ label, ...select }: FilterProps) => (
  <Select aria-label={label} {...select} className="w-auto! max-w-full" />
)

interface PagerProps {
  page: number
  pageSize: number
  total: number
  onPage: (page: number) => void
}

export const Pager = ({ page, pageSize, total, onPage }: PagerProps) => {
  if (total <= pageSize && page === 1) return null
  const from = (page - 1) * pageSize + 1
  const to = Math.min(total, page * pageSize)
  return (
    <nav className="flex items-center justify-end gap-1 text-sm text-muted tabular">
      <span className="mr-2">{t("list.range", { from, to, total })}</span>
      <IconButton
        icon={ChevronLeft}
        label={t("list.previous")}
        disabled={page === 1}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t("list.next")}
        disabled={to >= total}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  )
}
