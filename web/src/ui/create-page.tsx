import type { ReactNode } from "react"
import { Form } from "./form.tsx"
import { Page } from "./page.tsx"
import type { FormState } from "./use-form.ts"

interface CreatePageProps<T extends object> {
  /** A verb with its object, also on the button: "Create group". */
  title: string
  lead: string
  /** Link to the list that the new object appears in. */
  breadcrumb?: ReactNode
  form: FormState<T>
  /** As of `Form`. */
  fields?: readonly string[]
  children: ReactNode
}

/** A page with the form of a new object. */
export const CreatePage = <T extends object>(props: CreatePageProps<T>) => {
  const { title, lead, breadcrumb, children, ...form } = props
  return (
    <Page title={title} lead={lead} breadcrumb={breadcrumb} narrow>
      <Form {...form} action={title}>
        {children}
      </Form>
    </Page>
  )
}
