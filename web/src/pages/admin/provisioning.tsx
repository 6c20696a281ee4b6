import { useQuery } from "@tanstack/react-query"
import { TriangleAlert } from "lucide-react"
import { type ReactNode, useState } from "react"
import type { Provisioning } from "../../../../server/src/scim/provisioning-schema.ts"
import { t } from "../../i18n/translate.ts"
import { provisioningQuery } from "../../lib/queries.ts"
import { Status } from "../../ui/badge.tsx"
import { DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { AuditTable } from "./audit-table.tsx"
import { CopyableValue } from "./copyable-value.tsx"

/** Like `openssl rand -base64 32`. */
const generateToken = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))

const variables = (token: string | null) => [
  "SCIM_ENABLED=true",
  ...(token ? [`SCIM_TOKEN=${token}`] : []),
]

const tones = { on: "ok", off: "plain", misconfigured: "danger" } as const

export const ProvisioningPage = () => {
  const provisioning = useQuery(provisioningQuery)
  return (
    <Page title={t("label.provisioning")} lead={t("provisioning.lead")}>
      <QueryResult query={provisioning} rows={8}>
        {(data) => <Sections data={data} />}
      </QueryResult>
    </Page>
  )
}

const Sections = ({ data }: { data: Provisioning }) => {
  const [generated] = useState(generateToken)
  // In any other state, the server has a token, which it never reveals.
  const token = data.state === "off" ? generated : null
  return (
    <>
      <State data={data} />
      {data.state !== "on" && <EnableSection token={token} />}
      <ConnectSection baseUrl={data.base_url} token={token} />
      {data.tokens.length > 0 && <Tokens tokens={data.tokens} />}
      <Section title={t("label.status")}>
        <DefinitionList rows={factsOf(data)} />
      </Section>
      <Section title={t("provisioning.errors")}>
        {data.errors.length === 0 ? (
          <p className="text-sm text-muted">{t("provisioning.noErrors")}</p>
        ) : (
          <AuditTable items={data.errors} />
        )}
      </Section>
    </>
  )
}

const State = ({ data: { state, problems } }: { data: Provisioning }) => (
  <div className="flex flex-col gap-2">
    <p className="font-medium">
      <Status tone={tones[state]}>{t(`provisioning.${state}`)}</Status>
    </p>
    {problems.map((problem) => (
      <p key={problem} className="flex items-start gap-2 text-sm">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
        <span className="min-w-0 break-words">{t(`provisioning.${problem}`)}</span>
      </p>
    ))}
  </div>
)

const EnableSection = ({ token }: { token: string | null }) => (
  <Section title={t("provisioning.enable")} lead={t("provisioning.offHelp")}>
    <Snippet
      tabs={[
        {
          name: "Shell",
          code: variables(token)
            .map((line) => `export ${line}`)
            .join("\n"),
        },
        { name: ".env", code: variables(token).join("\n") },
      ]}
    />
    {token && <p className="max-w-[60ch] text-xs text-muted">{t("provisioning.newToken")}</p>}
  </Section>
)

const ConnectSection = ({ baseUrl, token }: { baseUrl: string; token: string | null }) => (
  <Section title={t("provisioning.connect")} lead={t("provisioning.connectLead")}>
    <CopyableValue
      label={t("provisioning.base")}
      text={baseUrl}
      copy={t("provisioning.copyBase")}
    />
    <CopyableValue
      label={t("provisioning.header")}
      text={`Authorization: Bearer ${token ?? "<SCIM_TOKEN>"}`}
      copy={t("provisioning.copyHeader")}
    />
    <p className="max-w-[60ch] text-xs text-muted">
      {t(token ? "provisioning.bearerHelp" : "provisioning.headerHelp")}
    </p>
  </Section>
)

const Tokens = ({ tokens }: { tokens: Provisioning["tokens"] }) => (
  <Section title={t("label.tokens")} lead={t("provisioning.tokenHelp")}>
    <Table
      label={t("label.tokens")}
      items={tokens}
      idOf={({ id, previous }) => `${id} ${previous}`}
      columns={[
        {
          id: "token",
          header: t("provisioning.token"),
          grow: true,
          cell: ({ id, previous }) => (
            <NameCell detail={<code>{id}…</code>}>
              {t(previous ? "provisioning.previous" : "provisioning.current")}
            </NameCell>
          ),
        },
        {
          id: "used",
          header: t("label.lastUsed"),
          cell: ({ last_used_at: at }) =>
            at === null ? (
              <span className="text-muted">{t("provisioning.notLately")}</span>
            ) : (
              <Time at={at} />
            ),
        },
      ]}
    />
    <h3 className="text-sm font-medium">{t("provisioning.rotate")}</h3>
    <ol className="flex max-w-[60ch] list-decimal flex-col gap-1 pl-5 text-sm text-muted">
      <li>{t("provisioning.rotate1")}</li>
      <li>{t("provisioning.rotate2")}</li>
      <li>{t("provisioning.rotate3")}</li>
    </ol>
  </Section>
)

const limitOf = ({ rate_limit }: Provisioning): string =>
  rate_limit ? t("provisioning.rateOf", rate_limit) : t("provisioning.noRate")

const factsOf = (data: Provisioning): [string, ReactNode][] => [
  [t("provisioning.contact"), <Time key="contact" at={data.last_contact?.at ?? null} />],
  [
    t("provisioning.users"),
    t("provisioning.usersOf", { total: data.users, active: data.active_users }),
  ],
  [t("provisioning.groups"), data.groups],
  [t("provisioning.deleteMode"), t(`provisioning.${data.delete_mode}`)],
  [t("provisioning.cidrs"), data.allowed_cidrs.join(", ") || t("provisioning.anyAddress")],
  [t("provisioning.rate"), limitOf(data)],
]
