import { useMutation, useQuery } from "@tanstack/react-query"
import { CircleCheck, CircleX, PlugZap } from "lucide-react"
import { useEffect } from "react"
import type {
  ConnectionTestResult,
  NewConnection,
  ProviderInfo,
} from "../../../../server/src/connections/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { ApiError, api } from "../../lib/api.ts"
import type { BodyFor } from "../../lib/api-types.ts"
import { providersQuery } from "../../lib/queries.ts"
import { Button } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { ProviderErrorDetails } from "./connection-health.tsx"

export type ProviderKind = NewConnection["kind"]

/** What the gateway knows about a kind of provider; undefined until it is loaded. */
export const useProviderInfo = (kind: ProviderKind): ProviderInfo | undefined =>
  useQuery(providersQuery).data?.find((provider) => provider.kind === kind)

/** The kind of a connection, as it appears on pages. */
export const ProviderLabel = ({ kind }: { kind: ProviderKind }) => {
  const provider = useProviderInfo(kind)
  return translateServerText(provider?.label ?? "", provider?.label_reference)
}

export interface ConnectionValues {
  kind: ProviderKind
  name: string
  base_url: string
  api_key: string
}

interface ConnectionBasicsProps {
  values: ConnectionValues
  set: (changes: Partial<ConnectionValues>) => void
  error: unknown
  /** The last characters of the saved key; leaving the field empty keeps the key. */
  savedKey?: string
  /** The environment variable that locks these fields. */
  locked?: string | undefined
}

/** The hint of a short key has none of its characters. */
const keyHelp = (hint: string | undefined): string => {
  if (!hint) return t("connection.keyHelp")
  return hint === "…" ? t("connection.keyStored") : t("connection.keyKept", { hint })
}

/** Name, address, and key. */
export const ConnectionBasics = (props: ConnectionBasicsProps) => {
  const { values, savedKey, locked } = props
  const provider = useProviderInfo(values.kind)
  return (
    <>
      <TextField
        label={t("label.name")}
        {...bindField(props, "name")}
        placeholder={hostOf(values) || provider?.label}
        disabled={locked !== undefined}
      />
      <TextField
        label={t("label.address")}
        type="url"
        {...bindField(props, "base_url")}
        locked={locked}
        placeholder={provider?.default_url}
        autoComplete="off"
        spellCheck={false}
      />
      {locked === undefined && (
        <TextField
          label={t("label.apiKey")}
          help={keyHelp(savedKey)}
          type="password"
          {...bindField(props, "api_key")}
          autoComplete="new-password"
        />
      )}
    </>
  )
}

/** Tests the values in the form; a change of the form clears the result. */
export const useConnectionTest = (values: object, runTest: () => Promise<ConnectionTestResult>) => {
  const test = useMutation({ mutationFn: runTest })
  const { reset } = test
  // biome-ignore lint/correctness/useExhaustiveDependencies: resets on every change
  useEffect(() => reset(), [reset, values])
  return test
}

/** Tests the connection and shows the result. */
export const ConnectionTest = ({ test }: { test: ReturnType<typeof useConnectionTest> }) => (
  <div className="flex flex-col gap-3">
    <div>
      <Button icon={PlugZap} busy={test.isPending} onClick={() => test.mutate()}>
        {t("connection.test")}
      </Button>
    </div>
    {test.error && !hasFieldErrors(test.error) && <ErrorNote error={test.error} />}
    {test.data && <TestResultNote result={test.data} />}
  </div>
)

/** Whether the error's messages are shown below the fields. */
export const hasFieldErrors = (error: unknown): boolean =>
  error instanceof ApiError && error.errors.length > 0

const TestResultNote = ({ result }: { result: ConnectionTestResult }) => {
  const { ok, message, message_reference, details, models, duration_ms } = result
  const Icon = ok ? CircleCheck : CircleX
  return (
    <div
      role="status"
      className={classes(
        "flex items-start gap-2.5 rounded border px-3 py-2.5 text-sm",
        ok ? "border-ok/40 bg-ok-soft" : "border-danger/40 bg-danger-soft",
      )}
    >
      <Icon
        aria-hidden
        className={classes("mt-0.5 size-4 shrink-0", ok ? "text-ok" : "text-danger")}
      />
      <div className="min-w-0">
        <p className="break-words">
          {translateServerText(message, message_reference)}{" "}
          <span className="text-muted tabular">({duration_ms} ms)</span>
        </p>
        <ProviderErrorDetails details={details} />
        {models.length > 0 && (
          <p className="mt-1 line-clamp-3 text-xs break-words text-muted">{models.join(", ")}</p>
        )}
      </div>
    </div>
  )
}

export const testUnsavedConnection = (
  values: BodyFor<"/api/v1/connections/test">,
): Promise<ConnectionTestResult> => api.post("/api/v1/connections/test", { body: values })

const hostOf = ({ base_url }: ConnectionValues): string =>
  URL.canParse(base_url) ? new URL(base_url).host : ""

/** A connection without a name is named after its host. */
export const withDefaultName = <T extends ConnectionValues>(values: T): T => ({
  ...values,
  name: values.name.trim() || hostOf(values) || values.kind,
})
