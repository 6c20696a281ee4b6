import { useMutation, useQueryClient } from "@tanstack/react-query"
import { MailX } from "lucide-react"
import type { User } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Section } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"

const leadOf = ({ deleted_at, released, email }: User): string => {
  if (released) return t("release.done", { email })
  return t(deleted_at === null ? "release.lead" : "release.deletedLead", { email })
}

/** Releases an inactive account's email address for use by another account. */
export const ReleaseEmail = ({ user }: { user: User }) => {
  const client = useQueryClient()
  const release = useMutation({
    mutationFn: () => api.post("/api/v1/users/:id/release", { params: { id: user.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["users"] }),
  })
  if (user.active) return null
  return (
    <Section title={t("release.title")} lead={leadOf(user)}>
      {user.deleted_at !== null && (
        <p className="text-muted">
          {t("release.deleted")} <Time at={user.deleted_at} inSentence />
        </p>
      )}
      {release.error && <ErrorNote error={release.error} />}
      {!user.released && (
        <div>
          <Button icon={MailX} busy={release.isPending} onClick={() => release.mutate()}>
            {t("release.action")}
          </Button>
        </div>
      )}
    </Section>
  )
}
