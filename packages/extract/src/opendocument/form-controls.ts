type Attributes = Record<string, string>

const isChosen = (attributes: Attributes, state: string): boolean =>
  (attributes[`form:current-${state}`] ?? attributes[`form:${state}`]) === "true"

const box = (isChecked: boolean, { "form:label": label = "" }: Attributes): string =>
  `${isChecked ? "[x]" : "[ ]"} ${label}`

const valueControls = new Set(
  "text textarea formatted-text number date time combobox".split(" ").map((name) => `form:${name}`),
)

/** What a control shows; passwords, buttons and hidden ones show nothing. */
const shownText = (name: string, attributes: Attributes): string => {
  if (valueControls.has(name))
    return attributes["form:current-value"] ?? attributes["form:value"] ?? ""
  if (name === "form:fixed-text") return attributes["form:label"] ?? ""
  if (name === "form:radio") return box(isChosen(attributes, "selected"), attributes)
  if (name !== "form:checkbox") return ""
  const state = attributes["form:current-state"] ?? attributes["form:state"]
  return box(state === "checked", attributes)
}

/** The controls of forms, which the text refers to (OpenDocument 1.3 part 3, §13). */
export class FormControls {
  readonly #texts = new Map<string, string>()
  #last = ""

  /** Reads an element of a form. */
  open(name: string, attributes: Attributes): void {
    const id = attributes["xml:id"] ?? attributes["form:id"]
    if (id !== undefined) {
      this.#last = id
      this.#texts.set(id, shownText(name, attributes))
    } else if (name === "form:option" && isChosen(attributes, "selected")) this.#choose(attributes)
  }

  #choose({ "form:label": label = "" }: Attributes): void {
    const chosen = this.#texts.get(this.#last) ?? ""
    this.#texts.set(this.#last, chosen === "" ? label : `${chosen}, ${label}`)
  }

  /** @returns what a control shows, the first time; then nothing */
  take(id: string): string {
    const text = this.#texts.get(id) ?? ""
    this.#texts.delete(id)
    return text
  }
}
