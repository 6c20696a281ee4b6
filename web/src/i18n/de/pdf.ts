export const pdf = {
  "pdf.document": "Seiten von {name}",
  "pdf.toolbar": "Seite und Vergrößerung",
  "pdf.page": "Seite {page} von {count}",
  "pdf.pageNumber": "Seitenzahl",
  "pdf.of": "von {count}",
  "pdf.fitWidth": "An Breite anpassen",
  "pdf.showPages": "Seiten anzeigen",
  "pdf.showText": "Text anzeigen",
  "pdf.title": "Dokument",
  "pdf.password":
    "Dieses PDF ist passwortgeschützt, deshalb können seine Seiten nicht angezeigt werden. Laden Sie es herunter, um es mit dem Passwort zu öffnen.",
  "pdf.damaged": "Dieses PDF ist beschädigt, deshalb können seine Seiten nicht angezeigt werden.",
  "pdf.unavailable":
    "Die Seiten dieses PDFs konnten nicht geladen werden. Laden Sie die Seite neu, um es noch einmal zu versuchen.",
  "pdf.unmarked":
    "Die Textstelle kann nicht markiert werden, weil der Text der Seite sie nicht enthält. Das kommt bei gescannten Seiten vor.",
}
