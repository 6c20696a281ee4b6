import mermaid from "mermaid"
import { readDiagramColors } from "./diagram-colors.ts"
import { isDrawnInTime } from "./diagram-size.ts"
import { escapeDiagramTags } from "./escape-diagram-tags.ts"

const maxCharacters = 20_000
/** `a & b --> c & d` is four edges; 480 take several seconds, in which the page does not respond. */
const maxEdges = 150
let number = 0
let drawing: Promise<unknown> = Promise.resolve()

/** Options that directives in a diagram must not override. */
const lockedOptions = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "htmlLabels",
  "theme",
  "themeVariables",
  "themeCSS",
  "fontFamily",
  "layout",
]

const draw = async (source: string, theme: "light" | "dark"): Promise<string> => {
  if (!isDrawnInTime(source)) throw new Error("The diagram is too large to draw.")
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    secure: lockedOptions,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    layout: "dagre",
    theme: "base",
    themeVariables: readDiagramColors(theme),
    fontFamily: "ui-sans-serif, system-ui, sans-serif",
    maxTextSize: maxCharacters,
    maxEdges,
    suppressErrorRendering: true,
  })
  number++
  const { svg } = await mermaid.render(`diagram-${number}`, escapeDiagramTags(source))
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withExplicitSize(svg))}`
}

/** Without an explicit size, browsers render an SVG image at 300 × 150 pixels. */
const withExplicitSize = (svg: string): string => {
  const box = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg)
  if (!box) return svg
  const size = `width="${Math.ceil(Number(box[1]))}" height="${Math.ceil(Number(box[2]))}"`
  return svg.replace(/^<svg([^>]*?) width="100%"/, `<svg$1 ${size}`)
}

/**
 * Renders a diagram to a data URL. Runs one at a time because Mermaid has global state.
 * @throws if the source is not a valid diagram, or too large
 */
export const drawDiagram = (source: string, theme: "light" | "dark"): Promise<string> => {
  const next = drawing.catch(() => {}).then(() => draw(source, theme))
  drawing = next
  return next
}
