import type { signOn as english } from "../../../../../server/src/i18n/sign-on.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const signOn = {
  issuer_responds: ({ issuer }) => `${issuer} antwortet.`,
  issuer_differs: ({ issuer, variable }) =>
    `Der Issuer des Anbieters ist ${issuer}. Setzen Sie ${variable} genau auf diesen Wert.`,
  issuer_has_no_configuration: ({ issuer, variable }) =>
    `${issuer} antwortet, hat aber keine OpenID-Konfiguration. Prüfen Sie ${variable}.`,
  issuer_unreachable: ({ issuer, cause }) => `${issuer} ist nicht erreichbar (${cause}).`,
  sign_on_unavailable: ({ provider }) =>
    `${provider} ist derzeit nicht erreichbar. Versuchen Sie es später erneut.`,
  key_url_missing: "In der Konfiguration des Anbieters fehlt die Adresse der Schlüssel (jwks_uri).",
  keys_missing: ({ address }) => `Unter ${address} wurden keine Schlüssel gefunden.`,
  keys_found: ({ count }) => `Signaturschlüssel gefunden: ${count}.`,
  keys_unreadable: ({ address, reason }) =>
    `Die Schlüssel des Anbieters unter ${address} lassen sich nicht lesen (${reason}).`,
  key_set_invalid: "keine gültige Schlüsselliste",
  endpoints_missing:
    "In der Konfiguration des Anbieters fehlt der Autorisierungs- oder Token-Endpunkt.",
  endpoints_available_with_sign_out:
    "Alle erforderlichen Endpunkte sind vorhanden. Die Abmeldung von Portico meldet auch beim Anbieter ab.",
  endpoints_available:
    "Alle erforderlichen Endpunkte sind vorhanden. Die Abmeldung von Portico meldet nicht beim Anbieter ab.",
  client_registered: "Der Client ist registriert.",
  client_registered_as: ({ client }) => `Der Client ${client} ist registriert.`,
  redirect_uri_not_registered: ({ address }) =>
    `Die Redirect-URI ${address} ist beim Anbieter nicht registriert.`,
  client_rejected:
    "Der Anbieter hat Client-ID oder Client-Secret abgelehnt. Prüfen Sie beides beim Anbieter.",
  client_rejected_because: ({ cause }) =>
    `Der Anbieter hat Client-ID oder Secret abgelehnt (${cause}).`,
} satisfies TranslationsOf<typeof english>
