/** Takes the cost of a request in nano-dollars; null if its price is not known. */
export type ReportCost = (cost: number | null) => void

/** What several requests cost together. */
export class CostSum {
  #total: number | null

  /** @param before what earlier requests cost, in nano-dollars; null if that is not known */
  constructor(before: number | null) {
    this.#total = before
  }

  /** In nano-dollars. Null if the cost of any request is not known: the rest would be too little. */
  get total(): number | null {
    return this.#total
  }

  readonly add: ReportCost = (cost) => {
    const isKnown = this.#total !== null && cost !== null
    this.#total = isKnown ? Math.min((this.#total ?? 0) + cost, Number.MAX_SAFE_INTEGER) : null
  }
}
