import { Link, type LinkProps } from "@tanstack/react-router"
import { Download, LoaderCircle, type LucideIcon } from "lucide-react"
import type { ComponentProps, MouseEvent, ReactNode } from "react"
import { classes } from "./classes.ts"
import { Tooltip } from "./tooltip.tsx"

type ButtonVariant = "primary" | "secondary" | "quiet" | "danger"

const base =
  "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded px-3 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0"

const variantClasses: Record<ButtonVariant, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover",
  secondary: "border border-field bg-bg text-text hover:bg-hover",
  quiet: "text-text hover:bg-hover",
  danger: "border border-danger/60 bg-bg text-danger hover:bg-danger-soft",
}

interface CommonButtonProps {
  variant?: ButtonVariant
  icon?: LucideIcon
}

export interface ButtonProps extends ComponentProps<"button">, CommonButtonProps {
  /** Shows a spinner and does nothing when pressed; the button keeps the focus. */
  busy?: boolean
}

/** Also keeps a form from being submitted, with Enter too. */
const ignoreClick = (event: MouseEvent): void => {
  event.preventDefault()
  event.stopPropagation()
}

export const Button = ({
  variant = "secondary",
  icon: Icon,
  busy = false,
  className,
  children,
  ...props
}: ButtonProps) => (
  <button
    type="button"
    {...props}
    {...(busy && {
      "aria-busy": true,
      "aria-disabled": true,
      disabled: false,
      onClick: ignoreClick,
    })}
    className={classes(base, variantClasses[variant], className)}
  >
    {busy ? <LoaderCircle aria-hidden className="animate-spin" /> : Icon && <Icon aria-hidden />}
    {children}
  </button>
)

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon
  /** Accessible name and tooltip. */
  label: string
  keys?: string
}

const iconClass =
  "inline-flex size-8 shrink-0 items-center justify-center rounded text-muted transition-colors hover:bg-hover hover:text-text disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 [&_svg]:size-4"

/** A square icon button; its label is shown as a tooltip. */
export const IconButton = ({ icon: Icon, label, keys, className, ...props }: IconButtonProps) => (
  <Tooltip label={label} {...(keys && { keys })}>
    <button type="button" aria-label={label} {...props} className={classes(iconClass, className)}>
      <Icon aria-hidden />
    </button>
  </Tooltip>
)

interface LinkTarget {
  to: LinkProps["to"]
  search?: Record<string, string>
  params?: Record<string, string>
}

interface IconLinkProps extends LinkTarget {
  icon: LucideIcon
  /** Accessible name and tooltip. */
  label: string
}

/** A link to a page, styled as an icon button. */
export const IconLink = ({ icon: Icon, label, ...to }: IconLinkProps) => (
  <Tooltip label={label}>
    <Link {...(to as LinkProps)} aria-label={label} className={iconClass}>
      <Icon aria-hidden />
    </Link>
  </Tooltip>
)

interface ButtonLinkProps extends CommonButtonProps, LinkTarget {
  children: ReactNode
}

/** A link to a page, styled as a button. */
export const ButtonLink = ({
  variant = "secondary",
  icon: Icon,
  children,
  ...to
}: ButtonLinkProps) => (
  <Link {...(to as LinkProps)} className={classes(base, variantClasses[variant])}>
    {Icon && <Icon aria-hidden />}
    {children}
  </Link>
)

interface DownloadLinkProps {
  href: string
  /** The file's name; by default, the gateway names it. */
  name?: string
  children: ReactNode
}

/** A link that downloads a file, styled as a button. */
export const DownloadLink = ({ href, name, children }: DownloadLinkProps) => (
  <a href={href} download={name ?? true} className={classes(base, variantClasses.secondary)}>
    <Download aria-hidden />
    {children}
  </a>
)

/** A link that leaves the app, styled as a button. */
export const ButtonAnchor = ({
  variant = "secondary",
  icon: Icon,
  href,
  newTab = false,
  children,
}: CommonButtonProps & { href: string; newTab?: boolean; children: ReactNode }) => (
  <a
    href={href}
    {...(newTab && { target: "_blank" })}
    className={classes(base, variantClasses[variant])}
  >
    {Icon && <Icon aria-hidden />}
    {children}
  </a>
)
