export const markdown = {
  "markdown.downloadCode": "Code herunterladen",
  "markdown.downloadTable": "Als CSV herunterladen",
  "markdown.copyTable": "Tabelle kopieren",
  "markdown.enlargeDiagram": "Diagramm vergrößern",
  "markdown.downloadSvg": "Als SVG herunterladen",
  "markdown.downloadPng": "Als PNG herunterladen",
  "markdown.zoomIn": "Vergrößern",
  "markdown.zoomOut": "Verkleinern",
  "markdown.fit": "An Fenster anpassen",
}
