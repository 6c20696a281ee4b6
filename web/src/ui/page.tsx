import { Link, type LinkProps } from "@tanstack/react-router"
import { ChevronLeft } from "lucide-react"
import { Fragment, type ReactNode, useEffect } from "react"
import { classes } from "./classes.ts"

interface PageProps {
  title: string
  /** One sentence below the title. */
  lead?: ReactNode
  /** The primary action, on the right. */
  action?: ReactNode
  /** Link to the parent page, above the title. */
  breadcrumb?: ReactNode
  /** Reading width, for forms: centered, or below the tabs of its area. */
  narrow?: boolean
  children: ReactNode
}

/** A page with a title, a sentence, a primary action, and its content. */
export const Page = ({ title, lead, action, breadcrumb, narrow = false, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Portico`
  }, [title])
  return (
    <div
      className={classes(
        "mx-auto flex w-full flex-col gap-5 px-4 pt-4 pb-16 wide:px-8 wide:pt-7",
        narrow
          ? "max-w-[46rem] in-data-area:max-w-[76rem] in-data-area:*:max-w-[42rem]"
          : "max-w-[76rem]",
      )}
    >
      {breadcrumb}
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {lead && <p className="mt-1 max-w-[60ch] text-sm text-pretty text-muted">{lead}</p>}
        </div>
        {action && <div className="flex flex-wrap gap-2 empty:hidden">{action}</div>}
      </header>
      {children}
    </div>
  )
}

interface SectionProps {
  title: string
  lead?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A section of a page with a heading. */
export const Section = ({ title, lead, action, children }: SectionProps) => (
  <section className="flex flex-col gap-3">
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">{title}</h2>
        {lead && <p className="max-w-[60ch] text-sm text-pretty text-muted">{lead}</p>}
      </div>
      {action}
    </div>
    {children}
  </section>
)

/** A bordered box. */
export const Card = ({ children, className }: { children: ReactNode; className?: string }) => (
  <div className={classes("rounded border border-line bg-bg p-4", className)}>{children}</div>
)

/** An area of several pages, with tabs that stay visible while the page scrolls. */
export const TabbedArea = ({ tabs, children }: { tabs: ReactNode; children: ReactNode }) => (
  <div data-area>
    <div className="sticky top-0 z-20 bg-bg">
      <div className="mx-auto w-full max-w-[76rem] px-4 wide:px-8 wide:pt-2">{tabs}</div>
    </div>
    {children}
  </div>
)

/** A link back to the list that an object belongs to. */
export const BackLink = ({ to, children }: { to: LinkProps["to"]; children: ReactNode }) => (
  <Link
    {...({ to } as LinkProps)}
    className="-mb-2 inline-flex items-center gap-1 self-start rounded-sm text-sm text-muted hover:text-text"
  >
    <ChevronLeft aria-hidden className="size-4" />
    {children}
  </Link>
)

/** Labels and values, in two columns if space permits. */
export const DefinitionList = ({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 text-sm">
    {rows.map(([label, value]) => (
      <Fragment key={label}>
        <dt className="text-muted">{label}</dt>
        <dd className="min-w-0 break-words *:whitespace-normal">{value}</dd>
      </Fragment>
    ))}
  </dl>
)
