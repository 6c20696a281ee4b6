import mermaid from "mermaid"

const maxCharacters = 20_000
let number = 0
let drawing: Promise<unknown> = Promise.resolve()

/** Directives in a diagram could loosen these; Mermaid keeps them for itself. */
const secure = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "htmlLabels",
  "themeCSS",
  "fontFamily",
  "layout",
]

/** Tags in labels, but line breaks, are text: Mermaid would have the page read them while it measures. */
const withoutTags = (source: string): string =>
  source.replace(/(?<!<)<(?=[a-z/!])(?!br\s*\/?>)/gi, "#lt;")

const draw = async (source: string, theme: "light" | "dark"): Promise<string> => {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    secure,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    layout: "dagre",
    theme: theme === "dark" ? "dark" : "default",
    fontFamily: "ui-sans-serif, system-ui, sans-serif",
    maxTextSize: maxCharacters,
    suppressErrorRendering: true,
  })
  number++
  const { svg } = await mermaid.render(`diagram-${number}`, withoutTags(source))
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized(svg))}`
}

/** A picture without a size of its own would be drawn 300 by 150. */
const sized = (svg: string): string => {
  const box = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg)
  if (!box) return svg
  const size = `width="${Math.ceil(Number(box[1]))}" height="${Math.ceil(Number(box[2]))}"`
  return svg.replace(/^<svg([^>]*?) width="100%"/, `<svg$1 ${size}`)
}

/**
 * The diagram as the address of a picture, one after another as Mermaid has one state for all.
 * @throws when the source is no diagram
 */
export const drawDiagram = (source: string, theme: "light" | "dark"): Promise<string> => {
  const next = drawing.catch(() => {}).then(() => draw(source, theme))
  drawing = next
  return next
}
