/** Projects, and organizing chats in the sidebar. */
export const projects = {
  "chat.importedSome": "{imported} imported, {skipped} already here",
  "chat.importing": "Importing…",
  "chat.importFailed": "{file}: no readable chats found in this file.",
  "chat.importFailedBecause": "{file}: {reason}",
  "chat.count": { one: "{count} chat", other: "{count} chats" },
  "chat.notDeleted": "Couldn't delete {title}: {reason}",
  "chat.notChanged": "Couldn't change the chat",
  "chat.dismiss": "Dismiss",
}
