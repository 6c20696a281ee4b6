/** The gateway's messages about providers and its storage; the keys are its English texts. */
export const providerMessages: Record<string, string> = {
  "Connected; 1 model available.": "Verbunden, 1 Modell verfügbar.",
  "Connected; {count} models available.": "Verbunden, {count} Modelle verfügbar.",
  "{address} has no model list at this path (404). {hint}":
    "{address} hat unter diesem Pfad keine Modellliste (404). {hint}",
  "The base URL usually ends in /v1.": "Die Adresse endet meist auf /v1.",
  "Use the base URL without a path.": "Verwenden Sie die Adresse ohne Pfad.",
  "Use the base URL without /v1.": "Verwenden Sie die Adresse ohne /v1.",
  "{address} did not respond like {api}.": "{address} hat nicht wie {api} geantwortet.",
  "an OpenAI-style API": "eine OpenAI-kompatible API",
  "the Anthropic API": "die Anthropic-API",
  "Connected, but no models are available yet.":
    "Verbunden, aber es sind noch keine Modelle verfügbar.",
  "Can't reach {address}: {reason}. Check the address and that the server is running.":
    "{address} ist nicht erreichbar: {reason}. Prüfen Sie die Adresse und ob der Server läuft.",
  "The connection to {address} failed: {reason}":
    "Die Verbindung zu {address} ist fehlgeschlagen: {reason}",
  "connection refused": "Verbindung abgelehnt",
  "unknown host": "unbekannter Host",
  "the DNS lookup failed temporarily": "vorübergehender Fehler bei der DNS-Abfrage",
  "no route to host": "keine Route zum Host",
  "network unreachable": "Netzwerk nicht erreichbar",
  "{address} refused the model {model} (status {status}). Check the model and the key's permissions.":
    "{address} hat das Modell {model} abgelehnt (Status {status}). Prüfen Sie das Modell und die Berechtigungen des Schlüssels.",
  "{address} rejected the API key (status {status}). Check the key.":
    "{address} hat den API-Schlüssel abgelehnt (Status {status}). Prüfen Sie den Schlüssel.",
  "{address} did not respond within {seconds} seconds.":
    "{address} hat nicht innerhalb von {seconds} Sekunden geantwortet.",
  "The provider": "Der Anbieter",
  "OpenAI-compatible": "OpenAI-kompatibel",
  'The provider "{name}" cannot be reached.': "Der Anbieter „{name}“ ist nicht erreichbar.",
  'The provider "{name}" closed the connection before responding.':
    "Der Anbieter „{name}“ hat die Verbindung vor der Antwort geschlossen.",
  'The provider "{name}" did not respond in time.':
    "Der Anbieter „{name}“ hat nicht rechtzeitig geantwortet.",
  'The provider "{name}" stopped sending in the middle of its response.':
    "Der Anbieter „{name}“ hat mitten in der Antwort aufgehört zu senden.",
  'The provider "{name}" closed the connection in the middle of its response.':
    "Der Anbieter „{name}“ hat die Verbindung mitten in der Antwort geschlossen.",
  'The provider "{name}" sent an unreadable response.':
    "Der Anbieter „{name}“ hat eine unlesbare Antwort gesendet.",
  'The provider "{name}" sent an unreadable response: {reason}.':
    "Der Anbieter „{name}“ hat eine unlesbare Antwort gesendet: {reason}.",
  "it exceeds 4 MB. The partial answer was saved":
    "Sie ist länger als 4 MB. Die Teilantwort wurde gespeichert",
  "it is not a completion": "Sie ist keine Antwort eines Modells",
  'The provider "{name}" responded with {type} instead of a completion.':
    "Der Anbieter „{name}“ hat {type} statt der Antwort eines Modells gesendet.",
  'The provider "{name}" rejected the gateway\'s credential. Contact an administrator.':
    "Der Anbieter „{name}“ hat die Zugangsdaten des Gateways abgelehnt. Wenden Sie sich an die Administration.",
  "The provider reported an error.": "Der Anbieter hat einen Fehler gemeldet.",
  'The provider "{name}" responded with an unexpected status {status}.':
    "Der Anbieter „{name}“ hat mit dem unerwarteten Status {status} geantwortet.",
  'The provider "{name}" responded with status {status} and no readable error message.':
    "Der Anbieter „{name}“ hat mit Status {status} und ohne lesbare Fehlermeldung geantwortet.",
  "The provider's issuer is {issuer}. Set {variable} to exactly that.":
    "Der Issuer des Anbieters ist {issuer}. Setzen Sie {variable} genau auf diesen Wert.",
  "{issuer} responds, but has no OpenID configuration. Check {variable}.":
    "{issuer} antwortet, hat aber keine OpenID-Konfiguration. Prüfen Sie {variable}.",
  "Can't reach {provider} right now. Try again later.":
    "{provider} ist derzeit nicht erreichbar. Versuchen Sie es später erneut.",
  "The provider's configuration has no key URL (jwks_uri).":
    "In der Konfiguration des Anbieters fehlt die Adresse der Schlüssel (jwks_uri).",
  "The provider's configuration has no authorization or token endpoint.":
    "In der Konfiguration des Anbieters fehlt der Autorisierungs- oder Token-Endpunkt.",
  "Can't read the provider's keys at {address} ({reason}).":
    "Die Schlüssel des Anbieters unter {address} lassen sich nicht lesen ({reason}).",
  "not a valid key set": "keine gültige Schlüsselliste",
  "The provider rejected the client ID or secret. Check both at the provider.":
    "Der Anbieter hat Client-ID oder Client-Secret abgelehnt. Prüfen Sie beides beim Anbieter.",
  "{address} did not respond in time.": "{address} hat nicht rechtzeitig geantwortet.",
  "{address} responded with status {status}: {reason}":
    "{address} hat mit Status {status} geantwortet: {reason}",
  "{address} responded with status {status}.": "{address} hat mit Status {status} geantwortet.",
  'Your access to the model "{id}" was revoked.':
    "Ihr Zugriff auf das Modell „{id}“ wurde widerrufen.",
  "The database's disk is full": "Der Datenträger der Datenbank ist voll",
  "The disk for uploaded files is full": "Der Datenträger für hochgeladene Dateien ist voll",
  "Cannot write to the database's disk":
    "Auf den Datenträger der Datenbank kann nicht geschrieben werden",
  "Cannot write to the storage for uploaded files":
    "In den Speicher für hochgeladene Dateien kann nicht geschrieben werden",
}
