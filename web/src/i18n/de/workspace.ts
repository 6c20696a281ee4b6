export const workspace = {
  "banner.label": "Hinweis",
  "banner.dismiss": "Hinweis ausblenden",
  "settings.notice": "Hinweis",
  "settings.banner": "Text",
  "settings.bannerHelp":
    "Erscheint über jeder Seite für alle, die angemeldet sind. Leer lassen für keinen Hinweis.",
  "settings.bannerKind": "Art",
  "settings.bannerKind.info": "Information",
  "settings.bannerKind.warning": "Warnung",
  "settings.defaultModel": "Standardmodell",
  "settings.defaultModelHelp": "Für neue Chats von Personen, die noch kein Modell gewählt haben.",
  "settings.defaultModelNone": "Erstes verfügbares Modell",
}
