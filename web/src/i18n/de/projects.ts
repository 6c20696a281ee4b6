export const projects = {
  "chat.importedSome": "{imported} importiert, {skipped} bereits vorhanden",
  "chat.importing": "Wird importiert …",
  "chat.importFailed": "{file}: Diese Datei enthält keine lesbaren Chats.",
  "chat.importFailedBecause": "{file}: {reason}",
  "chat.count": { one: "{count} Chat", other: "{count} Chats" },
  "chat.notDeleted": "{title} konnte nicht gelöscht werden: {reason}",
  "chat.notChanged": "Der Chat konnte nicht geändert werden",
  "chat.dismiss": "Ausblenden",
}
