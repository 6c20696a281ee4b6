import { findChild, findChildren, type XmlElement } from "./office-xml.ts"

const operators = new Map(
  Object.entries<string>({
    "∑": "\\sum",
    "∏": "\\prod",
    "∐": "\\coprod",
    "∫": "\\int",
    "∬": "\\iint",
    "∭": "\\iiint",
    "∮": "\\oint",
    "⋃": "\\bigcup",
    "⋂": "\\bigcap",
    "⋁": "\\bigvee",
    "⋀": "\\bigwedge",
  }),
)
const accents = new Map(
  Object.entries<string>({
    "\u0302": "\\hat",
    "\u0303": "\\tilde",
    "\u0304": "\\bar",
    "\u0305": "\\overline",
    "\u0307": "\\dot",
    "\u0308": "\\ddot",
    "\u20d7": "\\vec",
    "\u030c": "\\check",
    "\u0306": "\\breve",
  }),
)
const functionName =
  /^(arccos|arcsin|arctan|arg|cos|cosh|cot|coth|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|ln|log|max|min|sec|sin|sinh|sup|tan|tanh)$/

const readValue = (
  properties: XmlElement | undefined,
  name: string,
  defaultValue: string,
): string => {
  const property = findChild(properties, name)
  return property ? (property.attributes["m:val"] ?? "") : defaultValue
}
const isSet = (properties: XmlElement | undefined, name: string): boolean =>
  /^(1|on|true)$/.test(readValue(properties, name, "0"))

const childrenText = (element: XmlElement | undefined): string =>
  (element?.children ?? []).map(elementText).join("")
const part = (element: XmlElement, name: string): string =>
  childrenText(findChild(element, name)).trim()
const script = (sign: string, text: string): string => (text === "" ? "" : `${sign}{${text}}`)

const fraction = (element: XmlElement): string => {
  const [above, below] = [part(element, "num"), part(element, "den")]
  const type = readValue(findChild(element, "fPr"), "type", "bar")
  if (type === "lin" || type === "skw") return `${above}/${below}`
  return type === "noBar" ? `\\binom{${above}}{${below}}` : `\\frac{${above}}{${below}}`
}

const radical = (element: XmlElement): string => {
  const degree = part(element, "deg")
  return `\\sqrt${degree && `[${degree}]`}{${part(element, "e")}}`
}

const largeOperator = (element: XmlElement): string => {
  const character = readValue(findChild(element, "naryPr"), "chr", "∫")
  const limits = script("_", part(element, "sub")) + script("^", part(element, "sup"))
  return `${operators.get(character) ?? character}${limits} ${part(element, "e")}`
}

const delimiters = (element: XmlElement): string => {
  const properties = findChild(element, "dPr")
  const parts = findChildren(element, "e").map((inner) => childrenText(inner).trim())
  const [open, close] = [readValue(properties, "begChr", "("), readValue(properties, "endChr", ")")]
  const text = parts.join(` ${readValue(properties, "sepChr", "|")} `)
  return `${open.replace(/[{}]/, "\\$&")}${text}${close.replace(/[{}]/, "\\$&")}`
}

const functionApplication = (element: XmlElement): string => {
  const name = part(element, "fName")
  return `${functionName.test(name) ? `\\${name}` : name} ${part(element, "e")}`
}

const limit = (element: XmlElement, sign: string): string => {
  const base = part(element, "e")
  return `${functionName.test(base) ? `\\${base}` : base}${script(sign, part(element, "lim"))}`
}

const accent = (element: XmlElement): string => {
  const character = readValue(findChild(element, "accPr"), "chr", "\u0302")
  return `${accents.get(character) ?? "\\hat"}{${part(element, "e")}}`
}

const bar = (element: XmlElement): string => {
  const position = readValue(findChild(element, "barPr"), "pos", "bot")
  return `\\${position === "top" ? "overline" : "underline"}{${part(element, "e")}}`
}

const matrix = (element: XmlElement): string => {
  const rows = findChildren(element, "mr").map((row) =>
    findChildren(row, "e")
      .map((cell) => childrenText(cell).trim())
      .join(" & "),
  )
  return `\\begin{matrix}${rows.join(" \\\\ ")}\\end{matrix}`
}

const equationArray = (element: XmlElement): string =>
  findChildren(element, "e")
    .map((line) => childrenText(line).trim())
    .join(" \\\\ ")

const phantom = (element: XmlElement): string => {
  const shown = readValue(findChild(element, "phantPr"), "show", "1")
  return /^(0|off|false)$/.test(shown) ? "" : part(element, "e")
}

const scripts = (element: XmlElement): string =>
  script("_", part(element, "sub")) + script("^", part(element, "sup"))

/** Text of the elements of equations by name (ECMA-376 part 1, §22.1.2). */
const readers = new Map(
  Object.entries<(element: XmlElement) => string>({
    t: ({ text }) => text,
    f: fraction,
    rad: (element) =>
      isSet(findChild(element, "radPr"), "degHide")
        ? `\\sqrt{${part(element, "e")}}`
        : radical(element),
    nary: largeOperator,
    d: delimiters,
    func: functionApplication,
    limLow: (element) => limit(element, "_"),
    limUpp: (element) => limit(element, "^"),
    acc: accent,
    bar,
    m: matrix,
    eqArr: equationArray,
    phant: phantom,
    sSub: (element) => part(element, "e") + scripts(element),
    sSup: (element) => part(element, "e") + scripts(element),
    sSubSup: (element) => part(element, "e") + scripts(element),
    sPre: (element) => `{}${scripts(element)}${part(element, "e")}`,
    del: () => "",
  }),
)

const elementText = (element: XmlElement): string =>
  readers.get(element.name)?.(element) ?? childrenText(element)

/** An equation of Office MathML as LaTeX between dollar signs, with Unicode symbols; empty if it is. */
export const readEquation = (equation: XmlElement): string => {
  const latex = childrenText(equation).replace(/\s+/g, " ").trim()
  return latex && `$${latex}$`
}
