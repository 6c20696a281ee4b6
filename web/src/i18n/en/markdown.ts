export const markdown = {
  "markdown.downloadCode": "Download code",
  "markdown.downloadTable": "Download as CSV",
  "markdown.copyTable": "Copy table",
  "markdown.enlargeDiagram": "Enlarge diagram",
  "markdown.downloadSvg": "Download as SVG",
  "markdown.downloadPng": "Download as PNG",
  "markdown.zoomIn": "Zoom in",
  "markdown.zoomOut": "Zoom out",
  "markdown.fit": "Fit to window",
}
