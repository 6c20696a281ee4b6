/** The color of the page's theme for each of Mermaid's variables; it derives those that are not set. */
const colorByVariable: Record<string, string> = {
  background: "bg",
  mainBkg: "surface",
  primaryColor: "surface",
  primaryBorderColor: "line-strong",
  primaryTextColor: "text",
  secondaryColor: "accent-soft",
  secondaryBorderColor: "accent",
  secondaryTextColor: "text",
  tertiaryColor: "hover",
  tertiaryBorderColor: "line-strong",
  tertiaryTextColor: "text",
  nodeBorder: "line-strong",
  clusterBkg: "hover",
  clusterBorder: "line",
  lineColor: "muted",
  textColor: "text",
  titleColor: "text",
  edgeLabelBackground: "bg",
  noteBkgColor: "warn-soft",
  noteBorderColor: "warn",
  noteTextColor: "text",
  actorLineColor: "line",
  activationBkgColor: "accent-soft",
  activationBorderColor: "accent",
  errorBkgColor: "danger-soft",
  errorTextColor: "danger",
  critBkgColor: "danger-soft",
  critBorderColor: "danger",
  taskBkgColor: "accent-soft",
  taskBorderColor: "accent",
  taskTextColor: "text",
  taskTextLightColor: "text",
  taskTextDarkColor: "text",
  taskTextOutsideColor: "text",
  activeTaskBkgColor: "warn-soft",
  activeTaskBorderColor: "warn",
  doneTaskBkgColor: "ok-soft",
  doneTaskBorderColor: "ok",
  gridColor: "line",
  todayLineColor: "danger",
  sectionBkgColor: "surface",
  altSectionBkgColor: "bg",
  sectionBkgColor2: "hover",
  pieTitleTextColor: "text",
  pieSectionTextColor: "text",
  pieLegendTextColor: "text",
  pieStrokeColor: "line-strong",
  pieOuterStrokeColor: "line-strong",
}

/** Fills and borders of several series, such as the slices of a pie. */
const series = [
  ["accent-soft", "accent"],
  ["warn-soft", "warn"],
  ["ok-soft", "ok"],
  ["danger-soft", "danger"],
] as const

const seriesColors = Array.from({ length: 12 }, (_, index): [string, string][] => {
  const [fill, border] = series[index % series.length] ?? series[0]
  return [
    [`pie${index + 1}`, index < series.length ? fill : border],
    [`cScale${index}`, fill],
    [`cScaleLabel${index}`, "text"],
    [`cScaleInv${index}`, border],
    [`cScalePeer${index}`, border],
    [`git${index}`, border],
    [`gitBranchLabel${index}`, "bg"],
  ]
}).flat()

/** Reads the colors of a theme, which may not be the page's current one. */
export const readDiagramColors = (theme: "light" | "dark"): Record<string, string | boolean> => {
  const probe = document.createElement("span")
  probe.style.colorScheme = theme
  document.body.append(probe)
  const colors = [...Object.entries(colorByVariable), ...seriesColors].map(([variable, color]) => {
    probe.style.color = `var(--color-${color})`
    return [variable, getComputedStyle(probe).color]
  })
  probe.remove()
  return { ...Object.fromEntries(colors), darkMode: theme === "dark", pieOpacity: "1" }
}
