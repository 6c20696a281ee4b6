export const workspace = {
  "banner.label": "Hinweis",
  "banner.dismiss": "Hinweis ausblenden",
  "settings.notice": "Hinweis",
  "settings.banner": "Text",
  "settings.bannerHelp": "Erscheint über jeder Seite für alle, die angemeldet sind.",
  "settings.bannerKind": "Art",
  "settings.bannerKind.info": "Information",
  "settings.bannerKind.warning": "Warnung",
  "settings.defaultModel": "Standardmodell",
  "settings.defaultModelNone": "Erstes Modell der Verbindungen",
}
