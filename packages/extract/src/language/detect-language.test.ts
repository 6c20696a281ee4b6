import { expect, it } from "vitest"
import { detectLanguage } from "./detect-language.ts"

it.each([
  ["How many vacation days do I get?", "en"],
  ["Wie viele Urlaubstage habe ich?", "de"],
  ["Was bedeutet der Fehlercode E36?", "de"],
  ["Quel est le délai de préavis ?", "fr"],
  ["¿Cuál es el plazo de entrega?", "es"],
  ["Qual è il termine di consegna?", "it"],
  ["Hoeveel vakantiedagen heb ik?", "nl"],
  ["Ile mam dni urlopu w roku?", "pl"],
  ["Hur många semesterdagar har jag?", "sv"],
  ["Kaç gün yıllık iznim var?", "tr"],
  ["Кто отвечает за отпуск?", "ru"],
  ["Πόσες ημέρες άδειας έχω;", "el"],
  ["كم عدد أيام الإجازة السنوية؟", "ar"],
  ["有給休暇は何日ですか", "ja"],
  ["报销限额是多少", "zh"],
  ["연차 휴가는 며칠입니까?", "ko"],
])("detects the language of the question %s", (question, language) => {
  expect(detectLanguage(question)).toBe(language)
})

it.each([
  "",
  "Urlaub",
  "E36",
  "2026-11-27 14:30 1,250.00",
  "AX-300 B12 QZ9 0x7fff",
  "Anna Schmidt, Peter Müller",
  "https://example.com/employees/handbook",
  "const total = rows.map((row) => row.price).filter((price) => price > 0)",
  '{ "name": "portico", "version": "1.0.0", "private": true }',
])("detects no language in %s", (text) => {
  expect(detectLanguage(text)).toBeNull()
})

const german = "Die Kündigungsfrist beträgt drei Monate zum Ende eines Quartals. "
const english = "The notice period is three months to the end of a quarter. "
const code = "const total = rows.map((row) => row.price).filter((price) => price > 0);\n"

it("detects the language of most of a text, wherever the rest is", () => {
  expect(detectLanguage(english.repeat(10) + german.repeat(100) + english.repeat(10))).toBe("de")
  expect(detectLanguage(code.repeat(50) + german.repeat(50) + code.repeat(50))).toBe("de")
})

it("detects no language if two are equally frequent", () => {
  expect(detectLanguage(german.repeat(5) + english.repeat(6))).toBeNull()
})

it.each([
  "a".repeat(5_000_000),
  "{".repeat(5_000_000),
  "x_".repeat(2_500_000),
  "漢\u0000\ud800".repeat(1_000_000),
])("reads only samples of a long text", (text) => {
  const started = performance.now()
  detectLanguage(text)
  expect(performance.now() - started).toBeLessThan(100)
})
