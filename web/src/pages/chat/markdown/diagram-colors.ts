/** Colors of the page's theme that diagrams use. */
const tokens = [
  "bg",
  "surface",
  "raised",
  "hover",
  "line",
  "line-strong",
  "text",
  "muted",
  "accent",
  "accent-soft",
  "on-accent",
  "danger",
  "danger-soft",
  "ok",
  "ok-soft",
  "warn",
  "warn-soft",
] as const

type Palette = Record<(typeof tokens)[number], string>

/** The values of the tokens in a theme, which may not be the page's current one. */
const readPalette = (theme: "light" | "dark"): Palette => {
  const probe = document.createElement("span")
  probe.style.colorScheme = theme
  document.body.append(probe)
  const entries = tokens.map((token) => {
    probe.style.color = `var(--color-${token})`
    return [token, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(entries)
}

/** Mermaid derives every color that is not set from these. */
export const readDiagramColors = (theme: "light" | "dark"): Record<string, string | boolean> => {
  const palette = readPalette(theme)
  // Fills and borders of several series, such as the slices of a pie.
  const series = [
    [palette["accent-soft"], palette.accent],
    [palette["warn-soft"], palette.warn],
    [palette["ok-soft"], palette.ok],
    [palette["danger-soft"], palette.danger],
  ]
  const seriesColors = Array.from({ length: 12 }, (_, index) => {
    const [fill = "", border = ""] = series[index % series.length] ?? []
    return [
      [`pie${index + 1}`, index < series.length ? fill : border],
      [`cScale${index}`, fill],
      [`cScaleLabel${index}`, palette.text],
      [`cScaleInv${index}`, border],
      [`cScalePeer${index}`, border],
      [`git${index}`, border],
      [`gitBranchLabel${index}`, palette.bg],
    ]
  }).flat()
  return {
    darkMode: theme === "dark",
    background: palette.bg,
    mainBkg: palette.surface,
    primaryColor: palette.surface,
    primaryBorderColor: palette["line-strong"],
    primaryTextColor: palette.text,
    secondaryColor: palette["accent-soft"],
    secondaryBorderColor: palette.accent,
    secondaryTextColor: palette.text,
    tertiaryColor: palette.hover,
    tertiaryBorderColor: palette["line-strong"],
    tertiaryTextColor: palette.text,
    nodeBorder: palette["line-strong"],
    clusterBkg: palette.hover,
    clusterBorder: palette.line,
    lineColor: palette.muted,
    textColor: palette.text,
    titleColor: palette.text,
    edgeLabelBackground: palette.bg,
    noteBkgColor: palette["warn-soft"],
    noteBorderColor: palette.warn,
    noteTextColor: palette.text,
    actorLineColor: palette.line,
    activationBkgColor: palette["accent-soft"],
    activationBorderColor: palette.accent,
    errorBkgColor: palette["danger-soft"],
    errorTextColor: palette.danger,
    critBkgColor: palette["danger-soft"],
    critBorderColor: palette.danger,
    taskBkgColor: palette["accent-soft"],
    taskBorderColor: palette.accent,
    taskTextColor: palette.text,
    taskTextLightColor: palette.text,
    taskTextDarkColor: palette.text,
    taskTextOutsideColor: palette.text,
    activeTaskBkgColor: palette["warn-soft"],
    activeTaskBorderColor: palette.warn,
    doneTaskBkgColor: palette["ok-soft"],
    doneTaskBorderColor: palette.ok,
    gridColor: palette.line,
    todayLineColor: palette.danger,
    sectionBkgColor: palette.surface,
    altSectionBkgColor: palette.bg,
    sectionBkgColor2: palette.hover,
    pieTitleTextColor: palette.text,
    pieSectionTextColor: palette.text,
    pieLegendTextColor: palette.text,
    pieStrokeColor: palette["line-strong"],
    pieOuterStrokeColor: palette["line-strong"],
    pieOpacity: "1",
    ...Object.fromEntries(seriesColors),
  }
}
