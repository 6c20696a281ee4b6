import type { LinkProps } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import type { ReactNode } from "react"
import { ButtonLink } from "./button.tsx"
import { List, type ListProps } from "./list.tsx"
import { Page } from "./page.tsx"

interface ListPageProps<T extends { id: string }, F extends string>
  extends Omit<ListProps<T, F>, "label"> {
  title: string
  lead: string
  /** What the table lists, if that is not the page's title. */
  label?: string
  /** The page that creates an item: linked above the list or, while it is empty, in its place. */
  create?: { to: LinkProps["to"]; label: string }
  /** More actions, before the link to create an item. */
  actions?: ReactNode
  /** Shown above the list. */
  notice?: ReactNode
  /** Shown below the list. */
  children?: ReactNode
}

/** A page with a list. */
export const ListPage = <T extends { id: string }, F extends string = never>(
  props: ListPageProps<T, F>,
) => {
  const { title, lead, label = title, create, actions, notice, children, ...rest } = props
  const { result, list, none } = rest
  const isEmpty = result.data?.total === 0 && !list?.isFiltered
  const createLink = create && (
    <ButtonLink to={create.to} variant="primary" icon={Plus}>
      {create.label}
    </ButtonLink>
  )
  return (
    <Page
      title={title}
      lead={lead}
      action={
        <>
          {actions}
          {!isEmpty && createLink}
        </>
      }
    >
      {notice}
      <List {...rest} label={label} {...(none && { none: { action: createLink, ...none } })} />
      {children}
    </Page>
  )
}
