export const overview = {
  "overview.lead": "Der Zustand dieses Servers und was zu tun ist.",
  "overview.attention": "Handlungsbedarf",
  "overview.allWell": "Es gibt nichts zu tun.",
  "overview.status": "Zustand",
  "overview.week": "Letzte 7 Tage",
  "overview.noUsage": "Keine Anfragen in den letzten 7 Tagen.",
  "overview.connectionsHealthy": "{healthy} von {count} in Ordnung",
  "overview.noConnection": "Es ist noch kein Anbieter und keine Laufzeitumgebung verbunden.",
  "overview.connectionFails": "{name} antwortet nicht.",
  "overview.openConnection": "Verbindung öffnen",
  "overview.database": "Datenbank",
  "overview.disk": "Speicherplatz",
  "overview.diskFree": "{free} von {total} frei",
  "overview.diskUnknown": "Vom System nicht gemeldet",
  "overview.diskLow":
    "Auf dem Datenträger des Datenordners sind nur noch {free} frei. Löschen Sie Dateien, oder vergrößern Sie das Volume.",
  "overview.storageFails": "{problem}. Bis das behoben ist, kann nichts gespeichert werden.",
  "overview.reloadFails.settings":
    "Die Einstellungen konnten nicht neu geladen werden. Die bisherigen gelten weiter, und der Server versucht es erneut.",
  "overview.reloadFails.connections":
    "Die Verbindungen konnten nicht neu geladen werden. Die bisherigen gelten weiter, und der Server versucht es erneut.",
  "overview.reloadFails.functions":
    "Die Funktionen konnten nicht neu geladen werden. Die bisherigen gelten weiter, und der Server versucht es erneut.",
  "overview.reloadFails.models":
    "Die Modelle konnten nicht neu geladen werden. Die bisherigen gelten weiter, und der Server versucht es erneut.",
  "overview.queue": "Hintergrundaufgaben",
  "overview.jobs": { one: "{count} wartet", other: "{count} warten" },
  "overview.retrying": "{count} fehlgeschlagen, werden wiederholt",
  "overview.rereading": "Dateien werden nach einem Upgrade neu gelesen: {done} von {total}",
  "overview.backup": "Letzte Sicherung",
  "overview.backupExternal": "Über PostgreSQL",
  "overview.backupMissing":
    "Es gibt noch keine Sicherung. Führen Sie auf dem Server diesen Befehl aus:",
  "overview.backupOld":
    "Die letzte Sicherung ist über eine Woche alt. Führen Sie auf dem Server diesen Befehl aus:",
  "overview.copyCommand": "Befehl kopieren",
  "overview.version": "Version",
  "overview.running": "Gestartet",
  "overview.pending": {
    one: "{count} Person wartet auf Freigabe.",
    other: "{count} Personen warten auf Freigabe.",
  },
  "overview.review": "Prüfen",
  "overview.failedFiles": {
    one: "{count} Datei konnte nicht gelesen werden.",
    other: "{count} Dateien konnten nicht gelesen werden.",
  },
  "overview.failedJobs": {
    one: "{count} Hintergrundaufgabe ist fehlgeschlagen und wird wiederholt.",
    other: "{count} Hintergrundaufgaben sind fehlgeschlagen und werden wiederholt.",
  },
  "overview.limitsReached": {
    one: "{count} Limit ist erreicht: Anfragen werden abgelehnt.",
    other: "{count} Limits sind erreicht: Anfragen werden abgelehnt.",
  },
  "overview.limitsNearly": {
    one: "Von {count} Limit sind mindestens 80 % verbraucht.",
    other: "Von {count} Limits sind mindestens 80 % verbraucht.",
  },
  "overview.showLimits": "Limits anzeigen",
  "overview.showFiles": "Dateien anzeigen",
  "overview.keyExpires": "Der API-Schlüssel {name} von {owner} läuft am {date} ab.",
  "overview.openKeys": "Schlüssel anzeigen",
}
