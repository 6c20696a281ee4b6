export const workspace = {
  "banner.label": "Notice",
  "banner.dismiss": "Dismiss notice",
  "settings.notice": "Notice",
  "settings.banner": "Text",
  "settings.bannerHelp":
    "Shown above every page to everyone who is signed in. Leave blank for none.",
  "settings.bannerKind": "Kind",
  "settings.bannerKind.info": "Information",
  "settings.bannerKind.warning": "Warning",
  "settings.defaultModel": "Default model",
  "settings.defaultModelHelp": "For new chats of people who haven't chosen a model yet.",
  "settings.defaultModelNone": "First available model",
}
