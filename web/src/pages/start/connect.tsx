import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { CircleCheck, LoaderCircle, MessageSquare, Plus, RotateCw, SearchX } from "lucide-react"
import { useState } from "react"
import type { Connection } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { connectionsQuery, modelsQuery } from "../../lib/queries.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Card, Page, Section } from "../../ui/page.tsx"
import {
  ConnectionBasics,
  ConnectionTest,
  type ConnectionValues,
  defaultAddress,
  hasFieldErrors,
  testUnsaved,
  useConnectionTest,
  withDefaultName,
} from "../admin/connection-form.tsx"
import { SetupSteps } from "./signed-out-layout.tsx"

const defaultRuntimeAddress = defaultAddress.ollama
const defaultRuntime = { kind: "ollama", name: "Ollama", base_url: defaultRuntimeAddress } as const

/** Second step of the setup: connect a source of models. */
export const ConnectPage = () => {
  const { data: models } = useQuery({ ...modelsQuery, refetchInterval: 3000 })
  const [open, setOpen] = useState(false)
  // The Guide is always available and does not count as a model source.
  const count = models?.filter((model) => model.connection_type !== "function").length ?? 0
  const hasGuide = models?.some(({ id }) => id === "guide") ?? false
  return (
    <Page
      title={t("source.title")}
      lead={t("source.lead")}
      breadcrumb={<SetupSteps at={1} />}
      narrow
      action={
        count === 0 &&
        (hasGuide ? (
          <ButtonLink to="/" search={{ model: "guide" }} icon={MessageSquare}>
            {t("source.guide")}
          </ButtonLink>
        ) : (
          <ButtonLink to="/">{t("source.skip")}</ButtonLink>
        ))
      }
    >
      {count > 0 && <Ready count={count} />}
      <LocalRuntime needed={count === 0} />
      {models && (count === 0 || open) ? (
        <Provider onSaved={() => setOpen(false)} />
      ) : (
        <div>
          <Button icon={Plus} onClick={() => setOpen(true)}>
            {t("source.provider")}
          </Button>
        </div>
      )}
    </Page>
  )
}

const Ready = ({ count }: { count: number }) => (
  <Card className="flex flex-wrap items-center gap-x-2.5 gap-y-3 border-ok/40 bg-ok-soft">
    <CircleCheck aria-hidden className="size-5 shrink-0 text-ok" />
    <p role="status" className="min-w-0 flex-1 basis-40 font-medium">
      {t("source.have", { count })}
    </p>
    <ButtonLink to="/" variant="primary" icon={MessageSquare}>
      {t("source.chat")}
    </ButtonLink>
  </Card>
)

/** Looks for a runtime at the default address and connects it unless already connected. */
const LocalRuntime = ({ needed }: { needed: boolean }) => {
  const client = useQueryClient()
  const search = useQuery({
    queryKey: ["connections", "usual"],
    queryFn: async () => {
      const result = await testUnsaved(defaultRuntime)
      if (!result.ok) return result
      const connections = await client.fetchQuery({ ...connectionsQuery, staleTime: 0 })
      const known = connections.some(
        ({ kind, base_url }) =>
          kind === "ollama" && /^http:\/\/(127\.0\.0\.1|localhost):11434$/.test(base_url),
      )
      if (!known) await api.post("/api/v1/connections/create", defaultRuntime)
      await client.invalidateQueries({ queryKey: ["models"] })
      return result
    },
    staleTime: 0,
    retry: false,
  })
  const { data } = search

  if (search.isFetching) {
    return (
      <Card className="flex items-center gap-2.5 text-sm text-muted">
        <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin" />
        {t("source.looking", { address: defaultRuntimeAddress })}
      </Card>
    )
  }
  if (search.error) return <ErrorNote error={search.error} retry={() => void search.refetch()} />
  if (!data?.ok && !needed) return null
  if (!data?.ok) {
    return (
      <Card className="flex flex-wrap items-center gap-x-2.5 gap-y-3 text-sm">
        <SearchX aria-hidden className="size-4 shrink-0 text-muted" />
        <p className="min-w-0 flex-1 basis-56">
          {t("source.notFound", { address: defaultRuntimeAddress })}
        </p>
        <Button icon={RotateCw} onClick={() => void search.refetch()}>
          {t("source.lookAgain")}
        </Button>
      </Card>
    )
  }
  const count = data.models.length
  return (
    <Card className="flex flex-wrap items-center gap-x-2.5 gap-y-3 text-sm">
      <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
      <p className="min-w-0 flex-1 basis-56">
        {count > 0
          ? t("source.found", { address: defaultRuntimeAddress, count })
          : t("source.foundEmpty", { address: defaultRuntimeAddress })}
      </p>
      {count === 0 && <ButtonLink to="/models/runtime">{t("source.pull")}</ButtonLink>}
    </Card>
  )
}

const empty: ConnectionValues = {
  kind: "openai",
  name: "",
  base_url: defaultAddress.openai,
  api_key: "",
}

/** Connects a provider after a successful test; otherwise shows the error. */
const Provider = ({ onSaved }: { onSaved: () => void }) => {
  const client = useQueryClient()
  const [values, setValues] = useState(empty)
  const test = useConnectionTest(values, () => testUnsaved(withDefaultName(values)))
  const save = useMutation({
    mutationFn: async () => {
      const result = await test.mutateAsync()
      if (result.ok)
        await api.post<Connection>("/api/v1/connections/create", withDefaultName(values))
      return result.ok
    },
    onSuccess: async (saved) => {
      await client.invalidateQueries()
      if (saved) onSaved()
    },
  })
  const failure = save.error !== test.error && save.error
  return (
    <Section title={t("source.provider")} lead={t("source.providerHelp")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <ConnectionBasics
          values={values}
          set={(changes) => setValues({ ...values, ...changes })}
          error={failure || test.error}
          nameHelp={t("connection.nameOptional")}
        />
        <ConnectionTest test={test} />
        {failure && !hasFieldErrors(failure) && <ErrorNote error={failure} />}
        <div>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {t("source.save")}
          </Button>
        </div>
      </form>
    </Section>
  )
}
