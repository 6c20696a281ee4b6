/** Prices and facts of models. */
export const prices = {
  price_too_precise: "Enter a price with at most six decimals and 15 digits.",
  price_tiers_unsorted: "List the tiers by their number of tokens, each only once.",
  price_has_two_scopes: "Choose a provider or a connection, not both.",
  price_empty: "Enter a price, or another fact about the model.",
  price_of_reserved: "No model can have this name.",
  price_incomplete: "Enter both an input and an output price; 0 means free.",
}
