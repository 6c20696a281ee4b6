import { downloadBlob } from "../../../browser/download.ts"
import { drawDiagram } from "./mermaid.ts"

/** Pixels per unit of the diagram. */
const density = 2
const maxPixels = 16_777_216

/** Drawn in the light theme, because documents are white. */
const drawForDocument = (source: string): Promise<string> => drawDiagram(source, "light")

export const downloadSvg = async (source: string): Promise<void> => {
  const url = await drawForDocument(source)
  const svg = decodeURIComponent(url.slice(url.indexOf(",") + 1))
  downloadBlob("diagram.svg", new Blob([svg], { type: "image/svg+xml" }))
}

export const downloadPng = async (source: string): Promise<void> => {
  const image = new Image()
  image.src = await drawForDocument(source)
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const scale = Math.min(density, Math.sqrt(maxPixels / (width * height)))
  const canvas = document.createElement("canvas")
  canvas.width = Math.floor(width * scale)
  canvas.height = Math.floor(height * scale)
  const context = canvas.getContext("2d")
  if (!context) return
  context.fillStyle = "white"
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => blob && downloadBlob("diagram.png", blob), "image/png")
}
