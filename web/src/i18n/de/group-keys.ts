export const groupKeys = {
  "label.serviceKeys": "Dienstschlüssel",
  "allKeys.title": "Schlüssel aller Benutzer",
  "allKeys.lead":
    "Schlüssel aller Benutzer und Gruppen. Wenn Sie einen widerrufen, bleibt das Konto seines Besitzers unverändert.",
  "allKeys.search": "Schlüssel und Besitzer suchen",
  "allKeys.anyOwner": "Alle Schlüssel",
  "allKeys.ofUsers": "Schlüssel von Benutzern",
  "allKeys.use": "Verwendung",
  "allKeys.anyUse": "Verwendet oder nicht",
  "allKeys.unusedDays": {
    one: "Seit {count} Tag nicht verwendet",
    other: "Seit {count} Tagen nicht verwendet",
  },
  "allKeys.neverUsed": "Nie verwendet",
  "allKeys.revokeOwner": "Dieser Schlüssel gehört {owner}.",
  "serviceKeys.lead":
    "Für Dienste, die Modelle dieser Gruppe nutzen. Sie gehören keiner Person und gelten weiter, wenn Personen ausscheiden.",
  "serviceKeys.create": "Dienstschlüssel erstellen",
  "serviceKeys.defaultName": "Dienstschlüssel",
  "serviceKeys.none": "Noch keine Dienstschlüssel",
  "serviceKeys.noneHelp":
    "Erstellen Sie für jeden Dienst einen eigenen, damit Sie sie einzeln widerrufen können.",
  "groupRole.member": "Mitglied",
  "groupRole.manager": "Verwalter",
  "managers.roleOf": "Rolle von {name}",
  "managers.email": "Mitglied per E-Mail-Adresse hinzufügen",
  "managers.add": "Mitglied hinzufügen",
  "managers.noneHelp": "Geben Sie oben eine E-Mail-Adresse ein, um jemanden hinzuzufügen.",
  "ownGroups.lead": "Die Gruppen, denen Sie angehören. Ihre verwalteten Gruppen können Sie ändern.",
  "ownGroups.none": "Noch keine Gruppen",
  "ownGroups.noneHelp": "Administratoren fügen Sie zu Gruppen hinzu.",
}
