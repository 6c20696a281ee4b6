import type { ConnectionHealth } from "../../../../server/src/connections/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { Status } from "../../ui/badge.tsx"

export const HealthStatus = ({ health }: { health: ConnectionHealth }) => {
  const tones = { healthy: "ok", resting: "danger", unknown: "plain", disabled: "plain" } as const
  return <Status tone={tones[health.status]}>{t(`health.${health.status}`)}</Status>
}

/** What a provider or the network reported, unchanged; renders nothing without `details`. */
export const ProviderErrorDetails = ({ details }: { details: string | null }) =>
  details && (
    <details className="mt-1 text-xs text-muted">
      <summary>{t("error.details")}</summary>
      <code className="mt-1 block max-h-40 overflow-y-auto break-all">{details}</code>
    </details>
  )

/** Why the connection fails, and what to do. */
export const HealthError = ({ health }: { health: ConnectionHealth }) =>
  health.last_error && (
    <>
      <p className="break-words text-danger">
        {translateServerText(health.last_error, health.last_error_reference)}
      </p>
      <ProviderErrorDetails details={health.last_error_details} />
    </>
  )
