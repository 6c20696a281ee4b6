import { type LinkProps, useRouter } from "@tanstack/react-router"

export type PagePath = NonNullable<LinkProps["to"]>

/** Returns a function that navigates to a page without path parameters. */
export const useGoToPage = (): ((to: PagePath) => void) => {
  const router = useRouter()
  return (to) => void router.navigate({ to } as Parameters<typeof router.navigate>[0])
}
