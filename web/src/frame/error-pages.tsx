import { type ErrorComponentProps, useRouter } from "@tanstack/react-router"
import { Compass } from "lucide-react"
import { t } from "../i18n/translate.ts"
import { ButtonLink } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ErrorNote } from "../ui/error-note.tsx"

/** Shown in the frame for an address without a page. */
export const NotFoundPage = () => (
  <div className="mx-auto max-w-[46rem] px-4 py-16">
    <EmptyState
      whole
      icon={Compass}
      title={t("error.notFoundTitle")}
      action={<ButtonLink to="/">{t("error.home")}</ButtonLink>}
    >
      {t("error.notFound")}
    </EmptyState>
  </div>
)

/** Shown when a page fails to render. */
export const ErrorPage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const retry = (): void => {
    reset()
    void router.invalidate()
  }
  return (
    <div className="mx-auto max-w-2xl p-6">
      <ErrorNote error={error} retry={retry} />
    </div>
  )
}
