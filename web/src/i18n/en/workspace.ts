export const workspace = {
  "banner.label": "Notice",
  "banner.dismiss": "Dismiss notice",
  "settings.notice": "Notice",
  "settings.banner": "Text",
  "settings.bannerHelp": "Shown above every page to everyone who is signed in.",
  "settings.bannerKind": "Type",
  "settings.bannerKind.info": "Information",
  "settings.bannerKind.warning": "Warning",
  "settings.defaultModel": "Default model",
  "settings.defaultModelNone": "First model of the connections",
}
