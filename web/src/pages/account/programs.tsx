import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import type { CreatedApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { keysQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Page } from "../../ui/page.tsx"
import { CreatedSecret } from "./created-secret.tsx"
import { ProgramSetup } from "./program-setup.tsx"
import { findProgram, keyPlaceholder } from "./program-steps.ts"

/** `/account/programs` */
export const ProgramsPage = () => {
  const { search, change } = useListSearch<"program">()
  const program = findProgram(search.program)
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  return (
    <Page title={t("programs.title")} lead={t("programs.lead")} narrow>
      <ProgramSetup
        program={program}
        onProgram={({ id }) => change({ program: id })}
        created={created}
        keyField={
          created ? (
            <CreatedKey created={created} />
          ) : (
            <CreateKey name={program.name} onCreated={setCreated} />
          )
        }
      />
    </Page>
  )
}

interface CreateKeyProps {
  /** The new key's name. */
  name: string
  onCreated: (key: CreatedApiKey) => void
}

const CreateKey = ({ name, onCreated }: CreateKeyProps) => {
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/auths/api_keys", { body: { name } }),
    onSuccess: (key) => {
      void invalidateQueries([keysQuery.queryKey])
      onCreated(key)
    },
  })
  return (
    <KeyField>
      <p className="text-sm text-pretty text-muted">
        {t("programs.keyHelp", { placeholder: keyPlaceholder })}
      </p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button icon={Plus} busy={create.isPending} onClick={() => create.mutate()}>
          {t("keys.create")}
        </Button>
        <Link
          to="/account/keys/new"
          className="rounded-sm text-sm text-accent underline underline-offset-2"
        >
          {t("programs.restrictKey")}
        </Link>
      </div>
      {create.error && <ErrorNote error={create.error} />}
    </KeyField>
  )
}

const CreatedKey = ({ created }: { created: CreatedApiKey }) => (
  <KeyField isFocused>
    <p className="text-sm text-pretty text-muted">{t("programs.keyCreated")}</p>
    <CreatedSecret secret={created.api_key} />
  </KeyField>
)

interface KeyFieldProps {
  /** Takes the focus of the button that it replaces. */
  isFocused?: boolean
  children: ReactNode
}

const KeyField = ({ isFocused = false, children }: KeyFieldProps) => {
  const id = useId()
  const field = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isFocused) field.current?.focus()
  }, [isFocused])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div
      ref={field}
      role="group"
      aria-labelledby={id}
      tabIndex={-1}
      className="flex flex-col gap-2 outline-none"
    >
      <p id={id} className="text-sm font-medium">
        {t("label.apiKey")}
      </p>
      {children}
    </div>
  )
}
