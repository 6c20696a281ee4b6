export const removal = {
  "removal.owns": "{name} besitzt {list}.",
  "removal.ownsNothing": "{name} besitzt nichts.",
  "removal.used": "Von anderen verwendet:",
  "removal.choose": "Was soll damit geschehen?",
  "removal.transfer": "An eine Person oder Gruppe übergeben",
  "removal.deleteAll": "Alles löschen",
  "removal.transferHelp":
    "Erhält alle Modelle, Sammlungen mit ihren Dateien, Prompts und geteilten Chats. Private Chats, Projekte, Dateien ohne Sammlung und API-Schlüssel werden gelöscht.",
  "removal.groupHelp":
    "Sie werden Eigentümer, und die Mitglieder der Gruppe können alles verwenden und ändern; Modelle mit Sammlungen können sie nur verwenden. Private Chats, Projekte, Dateien ohne Sammlung und API-Schlüssel werden gelöscht.",
  "removal.deleteHelp":
    "Andere verlieren, was oben aufgeführt ist. Das lässt sich nicht rückgängig machen.",
  "removal.changed":
    "Es wurde noch nichts gelöscht: Was oben aufgeführt ist, wird inzwischen von anderen verwendet.",
  "removal.transferAndDelete": "Übergeben und Benutzer löschen",
}
