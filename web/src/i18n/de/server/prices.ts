import type { prices as english } from "../../../../../server/src/i18n/prices.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const prices = {
  price_too_precise:
    "Geben Sie einen Preis mit höchstens sechs Nachkommastellen und 15 Ziffern ein.",
  price_tiers_unsorted: "Ordnen Sie die Stufen nach ihrer Tokenzahl, jede nur einmal.",
  price_has_two_scopes: "Wählen Sie einen Anbieter oder eine Verbindung, nicht beides.",
  price_empty: "Geben Sie einen Preis oder eine andere Angabe zum Modell ein.",
  price_of_reserved: "So kann kein Modell heißen.",
  price_incomplete: "Geben Sie einen Preis für Eingabe und für Ausgabe ein; 0 bedeutet kostenlos.",
} satisfies TranslationsOf<typeof english>
