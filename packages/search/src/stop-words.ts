/** Stop words by language, folded like the terms in `tokenizer.ts`. */
const lists = {
  en: `a an the of to in on at for by with and or is are was were be been has have had do does did
    what which who whom whose when where why how many much that this these those it its as from not
    but their there than then into tell me about please explain describe can could would should`,
  de: `der die das den dem des ein eine einer eines einem einen und oder ist sind war waren wird
    werden wurde wurden hat haben hatte hatten was welche welcher welches welchen welchem wer wen
    wem wessen wann wo warum wie viel viele mit von zu zum zur in im auf an am bei fur aus nach uber
    unter vor durch als auch nicht dass es er sie sich dieser diese dieses bitte`,
  fr: `le la les un une des du de et ou est sont etait etaient que qui quoi dont quand comment
    pourquoi combien avec pour par sur dans en au aux ne pas ce cette ces il elle ils elles se son sa
    ses quel quelle quels quelles`,
  es: `el la los las un una unos unas y o es son era eran fue fueron que quien quienes cual cuales
    cuando donde como por para con sin sobre en del al se su sus no lo le les este esta estos estas`,
  ru: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было
    вот от меня о из ему когда кто этот какои какая какие каким какого какое каких кем чем чего чему
    где куда почему сколько был была были быть это для при их или до после также которыи которая
    которые которое которых`,
  zh: `的 了 在 是 和 与 或 有 什么 谁 哪 哪个 哪些 哪里 何时 为什么 多少 如何 怎么 几 个 这 那 中 为 被 从 到
    由 于 以 及 等 他 她 它 他们 其 一 不 也 人 年`,
}

export const stopWords: ReadonlySet<string> = new Set(
  Object.values(lists).flatMap((list) => list.split(/\s+/)),
)
