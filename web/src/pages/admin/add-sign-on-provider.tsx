import { t } from "../../i18n/translate.ts"
import { Section } from "../../ui/page.tsx"
import { Snippet } from "../../ui/snippet.tsx"

/** Environment variables by provider; docs/single-sign-on.md explains them. */
const providers = [
  { label: "Okta", name: "OKTA", values: ["ISSUER=https://example.okta.com"] },
  {
    label: "Entra ID",
    name: "ENTRA",
    values: ["ISSUER=https://login.microsoftonline.com/<tenant id>/v2.0", "LINK_CLAIM=oid"],
  },
  {
    label: "Google",
    name: "GOOGLE",
    values: ["ISSUER=https://accounts.google.com", "ALLOWED_DOMAINS=example.com"],
  },
  {
    label: "authentik",
    name: "AUTHENTIK",
    values: ["ISSUER=https://auth.example.com/application/o/portico/"],
  },
]

const codeFor = ({ name, values }: (typeof providers)[number]): string =>
  [
    `# ${t("signOn.redirect")}: ${window.location.origin}/api/v1/sso/${name.toLowerCase()}/callback`,
    ...[...values, "CLIENT_ID=…", "CLIENT_SECRET=…"].map((value) => `OIDC_${name}_${value}`),
  ].join("\n")

/** Shown while no provider is configured. */
export const AddSignOnProvider = () => (
  <Section title={t("signOn.none")} lead={t("signOn.noneHelp")}>
    <Snippet
      tabs={providers.map((provider) => ({ name: provider.label, code: codeFor(provider) }))}
    />
  </Section>
)
