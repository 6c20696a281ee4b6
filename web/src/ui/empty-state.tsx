import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What belongs here, and what to do next. */
  children?: ReactNode
  action?: ReactNode
  /** The empty state is the whole page, so its title is the h1. */
  whole?: boolean
}

export const EmptyState = (props: EmptyStateProps) => {
  const { icon: Icon, title, children, action, whole = false } = props
  const Title = whole ? "h1" : "h2"
  return (
    <div className="flex flex-col items-center gap-3 rounded border border-dashed border-line px-6 py-12 text-center">
      <Icon aria-hidden className="size-6 text-muted" />
      <div className="flex max-w-[44ch] flex-col gap-1">
        <Title className="text-base font-medium">{title}</Title>
        {children && <p className="text-sm text-balance text-muted">{children}</p>}
      </div>
      {action && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}
