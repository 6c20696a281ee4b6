export const composer = {
  "composer.drop": "Dateien hier ablegen, um sie anzuhängen",
  "composer.queue": "Nach dieser Antwort senden",
  "composer.queued": "Wartende Nachricht",
  "composer.queuedLead": "Wird gesendet, sobald die Antwort fertig ist",
  "composer.queuedImages": { one: "{count} Bild", other: "{count} Bilder" },
  "composer.queuedEdit": "Wartende Nachricht bearbeiten",
  "composer.queuedRemove": "Wartende Nachricht entfernen",
  "composer.notSent":
    "Die Antwort wurde nicht fertig, deshalb wurde Ihre Nachricht nicht gesendet.",
}
