import { useMutation, useQuery } from "@tanstack/react-query"
import { CircleCheck, LoaderCircle, MessageSquare, Plus, RotateCw, SearchX } from "lucide-react"
import { useState } from "react"
import type { ConnectionView, ProviderInfo } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { connectionsQuery, modelsQuery, providersQuery } from "../../lib/queries.ts"
import { invalidateQueries, queryClient } from "../../lib/query-client.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Card, Page, Section } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import {
  ConnectionBasics,
  ConnectionTest,
  type ConnectionValues,
  hasFieldErrors,
  testUnsavedConnection,
  useConnectionTest,
  withDefaultName,
} from "../admin/connection-form.tsx"
import { createConnectionValues, ProviderTiles } from "../admin/provider-tiles.tsx"
import { useConnectionModelAsDefault } from "../chat/chat-models.ts"
import { SetupSteps } from "./signed-out-layout.tsx"

/** Second step of the setup: connect a source of models. */
export const ConnectPage = () => {
  const { data: models } = useQuery({ ...modelsQuery, refetchInterval: 3000 })
  const { data: connections } = useQuery(connectionsQuery)
  const { data: providers } = useQuery(providersQuery)
  const [open, setOpen] = useState(false)
  const [newest, setNewest] = useState<string | null>(null)
  useConnectionModelAsDefault(newest)
  // The Guide is always available and does not count as a model source.
  const count = models?.filter((model) => model.connection_type !== "function").length ?? 0
  const hasGuide = models?.some(({ id }) => id === "guide") ?? false
  return (
    <Page
      title={t("action.connectModels")}
      lead={t("source.lead")}
      breadcrumb={<SetupSteps at={count > 0 ? 2 : 1} />}
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
      {models && connections && providers ? (
        <>
          {count > 0 && <Ready count={count} />}
          {connections.filter(isConfiguredRuntime(providers)).map((runtime) => (
            <Runtime
              key={runtime.id}
              runtime={runtime}
              needed={count === 0}
              onConnected={setNewest}
            />
          ))}
          {count === 0 || open ? (
            <Provider
              providers={providers}
              onConnected={(id) => {
                setNewest(id)
                setOpen(false)
              }}
            />
          ) : (
            <div>
              <Button icon={Plus} onClick={() => setOpen(true)}>
                {t("source.provider")}
              </Button>
            </div>
          )}
        </>
      ) : (
        <Skeleton rows={8} />
      )}
    </Page>
  )
}

/** Without configuration, this is the runtime at the default address. */
const isConfiguredRuntime =
  (providers: readonly ProviderInfo[]) =>
  ({ kind, source }: ConnectionView): boolean =>
    source === "environment" &&
    providers.some(
      ({ kind: other, presets }) => other === kind && presets.every((one) => one.is_local),
    )

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

interface ConnectProps {
  onConnected: (connectionId: string) => void
}

interface ProviderProps extends ConnectProps {
  providers: readonly ProviderInfo[]
}

interface RuntimeProps extends ConnectProps {
  runtime: ConnectionView
  needed: boolean
}

/** Whether a runtime from the environment responds, and how to continue. */
const Runtime = ({ runtime, needed, onConnected }: RuntimeProps) => {
  const address = runtime.base_url
  const search = useQuery({
    queryKey: ["connections", runtime.id, "test"],
    queryFn: async () => {
      const result = await api.post("/api/v1/connections/:id/test", {
        params: { id: runtime.id },
      })
      if (result.ok) {
        await invalidateQueries([["models"]])
        onConnected(runtime.id)
      }
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
        {t("source.looking", { address })}
      </Card>
    )
  }
  if (search.error) return <ErrorNote error={search.error} retry={() => void search.refetch()} />
  if (!data?.ok && !needed) return null
  if (!data?.ok) {
    return (
      <Card className="flex flex-wrap items-center gap-x-2.5 gap-y-3 text-sm">
        <SearchX aria-hidden className="size-4 shrink-0 text-muted" />
        <p className="min-w-0 flex-1 basis-56">{t("source.notFound", { address })}</p>
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
        {count > 0 ? t("source.found", { address, count }) : t("source.foundEmpty", { address })}
      </p>
      {count === 0 && <ButtonLink to="/models/runtime">{t("source.pull")}</ButtonLink>}
    </Card>
  )
}

/** Connects a provider after a successful test; otherwise shows the error. */
const Provider = ({ providers, onConnected }: ProviderProps) => {
  const [values, setValues] = useState(() => createConnectionValues(providers))
  const set = (changes: Partial<ConnectionValues>): void => setValues({ ...values, ...changes })
  const test = useConnectionTest(values, () => testUnsavedConnection(withDefaultName(values)))
  const save = useMutation({
    mutationFn: async () => {
      const result = await test.mutateAsync()
      if (!result.ok) return null
      return api.post("/api/v1/connections/create", { body: withDefaultName(values) })
    },
    onSuccess: async (connection) => {
      await queryClient.invalidateQueries()
      if (connection) onConnected(connection.id)
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
        <ProviderTiles providers={providers} values={values} set={set} />
        <ConnectionBasics values={values} set={set} error={failure || test.error} />
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
