import type { models as english } from "../../../../../server/src/i18n/models.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const models = {
  model_id_required: "Geben Sie eine Modell-ID ein.",
  model_id_has_spaces: "Verwenden Sie keine Leer- oder Steuerzeichen.",
  model_exists: ({ id }) =>
    `Ein Modell mit der ID ${id} gibt es bereits. Wählen Sie eine andere ID.`,
  model_id_taken: ({ id }) =>
    `Die ID ${id} ist vergeben oder der eines anderen Modells zu ähnlich. Wählen Sie eine andere ID.`,
  model_id_reserved:
    "Wählen Sie eine andere ID: Nur Admins können einem Modell die ID seines Basismodells geben.",
  model_not_found: ({ id }) =>
    `Das Modell „${id}“ gibt es nicht. Wählen Sie eines aus der Liste der Modelle.`,
  model_no_response: "Das Modell hat nicht geantwortet.",
  rewriting_unreadable: "Das Modell hat nicht mit dem verlangten JSON geantwortet.",
  model_disabled: "Dieses Modell ist deaktiviert. Aktivieren Sie es, oder wählen Sie ein anderes.",
  model_is_embedding_model:
    "Embedding-Modelle können keine Chats beantworten. Wählen Sie ein anderes Modell.",
  model_id_conflict: "Das Modell einer anderen Person hat dieselbe ID. Löschen Sie es zuerst.",
  model_read_only: ({ id }) => `Sie dürfen das Modell ${id} nicht ändern.`,
  model_access_revoked: ({ id }) => `Ihr Zugriff auf das Modell „${id}“ wurde widerrufen.`,
  model_not_offered: ({ id }) => `Derzeit bietet keine Verbindung das Modell „${id}“ an.`,
  model_not_installed: ({ name, folder }) =>
    `Das Embedding-Modell ${name} ist nicht installiert. Admins können es installieren oder seine Dateien in ${folder} ablegen.`,
  model_file_damaged: ({ path }) =>
    `Die Datei ${path} ist nicht die veröffentlichte: Ihre Größe oder ihr SHA-256 weicht ab. Installieren Sie das Modell neu, oder ersetzen Sie die Datei.`,
  model_file_unreadable: ({ path, code }) =>
    `Das Benutzerkonto, unter dem Portico läuft, kann die Datei ${path} nicht lesen (${code}). Ändern Sie den Eigentümer oder die Rechte der Datei.`,
  model_folder_unwritable: ({ folder, code }) =>
    `Das Benutzerkonto, unter dem Portico läuft, kann nicht in ${folder} schreiben (${code}). Prüfen Sie den Datenträger sowie Eigentümer und Rechte des Ordners, und installieren Sie das Modell dann erneut.`,
  model_download_failed: ({ host, reason, folder }) =>
    `Das Modell konnte nicht von ${host} heruntergeladen werden: ${reason}. Prüfen Sie das Netzwerk und die Proxy-Einstellungen, und installieren Sie es erneut; oder legen Sie seine Dateien in ${folder} ab.`,
  download_refused: ({ status }) => `Der Server antwortete mit Status ${status}`,
  download_redirected: ({ address }) =>
    `Der Server leitet zu ${address} weiter; das ist keine öffentliche oder keine verschlüsselte Adresse`,
  download_redirected_too_often: "Der Server leitet zu oft weiter",
  download_too_large: "Der Server sendete mehr Bytes, als die Datei hat",
  download_damaged: "Der Server sendete eine Datei mit falscher Prüfsumme",
  download_incomplete: "Der Server sendete nur einen Teil der Datei",
  download_unreachable: ({ code }) => `Der Server ist nicht erreichbar (${code})`,
  download_timed_out: "Der Server antwortete nicht rechtzeitig",
  download_interrupted: "Die Verbindung wurde unterbrochen",
  download_broken: ({ code }) => `Es trat ein Fehler auf (${code})`,
  model_in_use:
    "Die semantische Suche verwendet dieses Modell. Wählen Sie ein anderes, und warten Sie, bis dessen Index vollständig ist.",
  base_model_circular: ({ base, id }) =>
    `Wählen Sie ein anderes Basismodell: „${base}“ baut selbst auf „${id}“ auf.`,
  base_model_chain_too_long: ({ max }) =>
    `Wählen Sie ein anderes Basismodell: Höchstens ${max} Modelle können aufeinander aufbauen.`,
} satisfies TranslationsOf<typeof english>
