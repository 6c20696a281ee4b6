import type { gateway as english } from "../../../../../server/src/i18n/gateway.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const gateway = {
  storage_limit_reached: ({ limit }) =>
    `Damit wäre Ihr Speicherlimit von ${limit} (MAX_STORAGE) überschritten.`,
  storage_limit_reached_by: ({ limit }) =>
    `Damit wäre Ihr Speicherlimit von ${limit} (MAX_STORAGE) überschritten. Löschen Sie, was Sie nicht mehr benötigen.`,
  owner_storage_limit_reached:
    "Damit wäre das Speicherlimit der Person überschritten, der die Inhalte gehören. Bitten Sie sie, nicht mehr Benötigtes zu löschen.",
  total_storage_limit_reached: ({ limit }) =>
    `Damit wäre das Speicherlimit des Servers von ${limit} überschritten. Bitten Sie die Administration, es zu erhöhen oder Platz zu schaffen.`,
  disk_full:
    "Auf dem Server ist kein Speicherplatz mehr frei, deshalb wurde nichts gespeichert. Bitten Sie die Administration, Daten zu löschen oder den Datenträger zu vergrößern; Anmelden und Löschen funktionieren weiterhin.",
  database_disk_full: "Der Datenträger der Datenbank ist voll",
  file_disk_full: "Der Datenträger für hochgeladene Dateien ist voll",
  database_disk_broken: "Auf den Datenträger der Datenbank kann nicht geschrieben werden",
  file_disk_broken: "In den Speicher für hochgeladene Dateien kann nicht geschrieben werden",
  shutting_down: "Der Server wird heruntergefahren. Versuchen Sie es gleich noch einmal.",
  database_unreachable:
    "Der Server erreicht seine Datenbank nicht. Versuchen Sie es gleich noch einmal.",
  changed_by_someone_else:
    "Das wurde inzwischen von jemand anderem geändert. Versuchen Sie es erneut.",
  internal_error:
    "Ein interner Fehler ist aufgetreten. Einzelheiten stehen im Protokoll des Gateways.",
} satisfies TranslationsOf<typeof english>
