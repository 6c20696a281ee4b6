import { t } from "../../i18n/translate.ts"
import { Section } from "../../ui/page.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { CopyableValue } from "./copyable-value.tsx"

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
  [...values, "CLIENT_ID=…", "CLIENT_SECRET=…"].map((value) => `OIDC_${name}_${value}`).join("\n")

const RedirectUri = ({ name }: { name: string }) => (
  <CopyableValue
    label={t("signOn.redirect")}
    text={`${window.location.origin}/api/v1/sso/${name.toLowerCase()}/callback`}
    copy={t("signOn.copyOne", { name: t("signOn.redirect") })}
  />
)

/** Shown while no provider is configured. */
export const SignOnInstructions = () => (
  <Section title={t("signOn.none")} lead={t("signOn.noneHelp")}>
    <Snippet
      tabs={providers.map((provider) => ({
        name: provider.label,
        code: codeFor(provider),
        lead: <RedirectUri name={provider.name} />,
      }))}
    />
  </Section>
)
