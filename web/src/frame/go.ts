import { type LinkProps, useRouter } from "@tanstack/react-router"

export type PagePath = NonNullable<LinkProps["to"]>

/** Goes to a page that needs no parameters. */
export const useGo = (): ((to: PagePath) => void) => {
  const router = useRouter()
  return (to) => void router.navigate({ to } as Parameters<typeof router.navigate>[0])
}
