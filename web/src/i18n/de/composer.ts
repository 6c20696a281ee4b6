export const composer = {
  "composer.drop": "Dateien hier ablegen, um sie anzuhängen",
  "composer.queue": "Nach dieser Antwort senden",
  "composer.queued": "Wartende Nachricht",
  "composer.queuedLead": "Wird gesendet, sobald die Antwort fertig ist",
  "composer.queuedImages": { one: "{count} Bild", other: "{count} Bilder" },
  "composer.queuedEdit": "Wartende Nachricht bearbeiten",
  "composer.queuedRemove": "Wartende Nachricht entfernen",
  "composer.notSent":
    "Die Antwort wurde nicht fertiggestellt. Ihre Nachricht wurde daher nicht gesendet.",
  "composer.starters": "Vorschläge",
  "composer.starterSummary": "Einen Text zusammenfassen",
  "composer.starterSummaryText": "Diesen Text in fünf Sätzen zusammenfassen:\n\n",
  "composer.starterEmail": "Eine E-Mail entwerfen",
  "composer.starterEmailText": "Eine kurze, höfliche E-Mail mit diesem Inhalt entwerfen: ",
  "composer.starterExplain": "Einen Begriff erklären",
  "composer.starterExplainText": "In einfachen Worten und mit einem Beispiel erklären: ",
  "composer.starterPlan": "Einen Plan erstellen",
  "composer.starterPlanText": "Einen Plan mit klaren Schritten erstellen. Ziel: ",
  "composer.recentModels": "Zuletzt verwendete Modelle",
  "composer.context": "{size} Kontext",
  "composer.customModels": "Angepasste Modelle",
  "dictation.start": "Diktieren",
  "dictation.listening": "Hört zu …",
  "dictation.notAllowed":
    "Erlauben Sie dieser Seite den Zugriff auf das Mikrofon, und versuchen Sie es erneut.",
  "dictation.noSpeech": "Es wurde nichts gehört. Versuchen Sie es erneut.",
  "dictation.noMicrophone":
    "Es wurde kein Mikrofon gefunden. Schließen Sie eines an, und versuchen Sie es erneut.",
  "dictation.network":
    "Die Spracherkennung des Browsers ist nicht erreichbar. Versuchen Sie es später erneut.",
  "dictation.language": "Ihr Browser kann gesprochenen Text in dieser Sprache nicht erkennen.",
  "dictation.failed": "Das Diktat wurde unerwartet beendet. Versuchen Sie es erneut.",
}
