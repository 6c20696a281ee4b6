import type { connections as english } from "../../../../../server/src/i18n/connections.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const connections = {
  connection_from_environment: ({ variable }) =>
    `Diese Verbindung ist durch die Umgebungsvariable ${variable} festgelegt und lässt sich hier nicht ändern.`,
  address_scheme_invalid: "Geben Sie eine Adresse ein, die mit http:// oder https:// beginnt.",
  address_has_credentials:
    "Entfernen Sie Benutzername und Passwort aus der Adresse, und geben Sie stattdessen einen API-Schlüssel ein.",
  address_has_query: "Entfernen Sie alles ab „?“ oder „#“ aus der Adresse.",
  header_name_invalid: "Geben Sie einen gültigen Header-Namen ein.",
  header_reserved: "Diesen Header setzt das Gateway.",
  api_key_characters_invalid:
    "Verwenden Sie nur Buchstaben ohne Akzente oder Umlaute, Ziffern und Sonderzeichen, ohne Leerzeichen.",
  model_prefix_invalid:
    "Verwenden Sie 1 bis 50 Buchstaben, Ziffern, Punkte, Unter- oder Bindestriche.",
  connected_without_models: "Verbunden, aber es sind noch keine Modelle verfügbar.",
  connected_with_one_model: "Verbunden, 1 Modell verfügbar.",
  connected_with_models: ({ count }) => `Verbunden, ${count} Modelle verfügbar.`,
  endpoint_key_rejected: ({ address, status }) =>
    `${address} hat den API-Schlüssel abgelehnt (Status ${status}). Prüfen Sie den Schlüssel.`,
  endpoint_model_refused: ({ address, model, status }) =>
    `${address} hat das Modell ${model} abgelehnt (Status ${status}). Prüfen Sie das Modell und die Berechtigungen des Schlüssels.`,
  endpoint_has_no_model_list: ({ address, hint }) =>
    `${address} hat unter diesem Pfad keine Modellliste (404). ${hint}`,
  endpoint_has_other_api: ({ address, api }) => `${address} hat nicht wie ${api} geantwortet.`,
  endpoint_error: ({ address, status, reason }) =>
    `${address} hat mit Status ${status} geantwortet: ${reason}`,
  endpoint_error_without_reason: ({ address, status }) =>
    `${address} hat mit Status ${status} geantwortet.`,
  endpoint_not_responding: ({ address, seconds }) =>
    `${address} hat nicht innerhalb von ${seconds} Sekunden geantwortet.`,
  endpoint_timeout: ({ address }) => `${address} hat nicht rechtzeitig geantwortet.`,
  endpoint_unreachable: ({ address, reason }) =>
    `${address} ist nicht erreichbar: ${reason}. Prüfen Sie die Adresse und ob der Server läuft.`,
  endpoint_connection_failed: ({ address, reason }) =>
    `Die Verbindung zu ${address} ist fehlgeschlagen: ${reason}`,
  connection_refused: "Verbindung abgelehnt",
  host_unknown: "unbekannter Host",
  dns_lookup_failed: "vorübergehender Fehler bei der DNS-Abfrage",
  no_route_to_host: "keine Route zum Host",
  network_unreachable: "Netzwerk nicht erreichbar",
  base_url_ends_in_v1: "Die Adresse endet meist auf /v1.",
  base_url_without_path: "Verwenden Sie die Adresse ohne Pfad.",
  base_url_without_v1: "Verwenden Sie die Adresse ohne /v1.",
  ollama: "Ollama",
  anthropic: "Anthropic",
  openai_compatible: "OpenAI-kompatibel",
  openai_style_api: "eine OpenAI-kompatible API",
  anthropic_api: "die Anthropic-API",
} satisfies TranslationsOf<typeof english>
