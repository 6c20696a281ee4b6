import type { providers as english } from "../../../../../server/src/i18n/providers.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const providers = {
  provider_named: ({ name }) => `Der Anbieter „${name}“`,
  provider_unnamed: "Der Anbieter",
  provider_unreachable: ({ provider }) => `${provider} ist nicht erreichbar.`,
  provider_reset: ({ provider }) => `${provider} hat die Verbindung vor der Antwort geschlossen.`,
  provider_timeout: ({ provider }) => `${provider} hat nicht rechtzeitig geantwortet.`,
  provider_silent: ({ provider }) => `${provider} hat mitten in der Antwort aufgehört zu senden.`,
  provider_interrupted: ({ provider }) =>
    `${provider} hat die Verbindung mitten in der Antwort geschlossen.`,
  provider_ended_early: ({ provider }) => `${provider} hat die Antwort vorzeitig beendet.`,
  provider_unreadable: ({ provider }) => `${provider} hat eine unlesbare Antwort gesendet.`,
  provider_malformed: ({ provider, reason }) =>
    `${provider} hat eine unlesbare Antwort gesendet: ${reason}.`,
  answer_too_long: "Sie ist länger als 4 MB. Die Teilantwort wurde gespeichert",
  answer_exceeds_characters: ({ count }) => `Sie ist länger als ${count} Zeichen`,
  not_a_completion: "Sie ist keine Antwort eines Modells",
  provider_content_type: ({ provider, type }) =>
    `${provider} hat ${type} statt der Antwort eines Modells gesendet.`,
  provider_credential_rejected: ({ provider }) =>
    `${provider} hat die Zugangsdaten des Gateways abgelehnt. Wenden Sie sich an die Administration.`,
  provider_error: "Der Anbieter hat einen Fehler gemeldet.",
  provider_unexpected_status: ({ provider, status }) =>
    `${provider} hat mit dem unerwarteten Status ${status} geantwortet.`,
  provider_error_unreadable: ({ provider, status }) =>
    `${provider} hat mit Status ${status} und ohne lesbare Fehlermeldung geantwortet.`,
} satisfies TranslationsOf<typeof english>
