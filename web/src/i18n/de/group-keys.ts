export const groupKeys = {
  "label.serviceKeys": "Dienstschlüssel",
  "allKeys.lead":
    "Schlüssel aller Benutzer und Gruppen. Wenn Sie einen widerrufen, bleibt das Konto seines Eigentümers unverändert.",
  "allKeys.search": "Schlüssel und Eigentümer suchen",
  "allKeys.anyOwner": "Alle Schlüssel",
  "allKeys.ofUsers": "Schlüssel von Benutzern",
  "allKeys.use": "Verwendung",
  "allKeys.anyUse": "Verwendet oder nicht",
  "allKeys.unusedDays": {
    one: "Seit {count} Tag nicht verwendet",
    other: "Seit {count} Tagen nicht verwendet",
  },
  "allKeys.neverUsed": "Nie verwendet",
  "allKeys.gone": "Diesen Schlüssel gibt es nicht",
  "allKeys.goneHelp": "Er wurde vielleicht widerrufen.",
  "allKeys.revokeOwner": "Dieser Schlüssel gehört {owner}.",
  "serviceKeys.lead":
    "Für Dienste, die Modelle dieser Gruppe nutzen. Sie gehören keiner Person und gelten weiter, wenn Personen ausscheiden.",
  "serviceKeys.create": "Dienstschlüssel erstellen",
  "serviceKeys.defaultName": "Dienstschlüssel",
  "serviceKeys.none": "Noch keine Dienstschlüssel",
  "serviceKeys.noneHelp":
    "Erstellen Sie für jeden Dienst einen eigenen, damit Sie sie einzeln widerrufen können.",
  "managers.menu": "Aktionen für {name}",
  "managers.appoint": "Zum Verwalter machen",
  "managers.dismiss": "Zum einfachen Mitglied machen",
  "managers.removeMember": "Aus der Gruppe entfernen",
  "managers.email": "Mitglied per E-Mail-Adresse hinzufügen",
  "managers.add": "Mitglied hinzufügen",
  "managers.noneHelp": "Geben Sie oben eine E-Mail-Adresse ein, um jemanden hinzuzufügen.",
}
