/** Languages in Latin script: letters outside of ASCII, and the most frequent words. */
const languages = [
  ["äöüß", "der die und das ist nicht von zu den mit ein eine im auf für dem des werden sich auch"],
  ["àâæçéèêëîïôœùûüÿ", "de la le les des et en un une du est que pour dans qui au par sur pas à"],
  ["áéíñóúü", "de la que el en y los se del las un por con una para es al lo como más no su"],
  ["àèéìíîòóùú", "di che e la il un per in una del è della si con non le da dei al come i nel"],
  ["áâãàçéêíóôõúü", "de que o a e do da em um para com não uma os no se na por mais as dos ao"],
  ["àçéèíïóòúü", "de la que i el en els a per les un una del no és amb es al o més com dels"],
  ["éëïóöüèáê", "de het een van en in is dat op te voor met die zijn niet aan er om ook als"],
  ["åäöé", "och att det i en som är på för av med den till inte om ett kan de från så"],
  ["æøåé", "og at det i en er af på for med den til ikke som et kan de fra der har"],
  ["æøåéòôê", "og at det i en er av på for med den til ikke som et kan de fra der har"],
  ["åäöšž", "ja on ei että se joka myös voi kun tai ovat jos mutta kuin sen niin ole"],
  ["áðéíóúýþæö", "og að í er á sem það til við um ekki með var fyrir en af eru eða"],
  ["ąćęłńóśźż", "w na i z nie się do jest to że o a jak od dla przez po oraz lub są być"],
  ["áčďéěíňóřšťúůýž", "a v je se na že s z do to o pro jako i nebo k ve by který jsou po"],
  ["áäčďéíĺľňóôŕšťúýž", "a v je sa na že s z do to o pre ako i alebo k vo by ktorý sú po"],
  ["áéíóöőúüű", "a az és hogy nem is egy ez van meg vagy csak de már mint el ha kell"],
  ["ăâîșțşţ", "de și şi în a la cu pe care un o nu din pentru este se sau că ca mai"],
  ["čćđšž", "i u je na se za da s su od koji o ne ili iz kao to te po što može"],
  ["çğıİöşüâîû", "bir ve bu için da de ile olarak gibi daha çok ne var olan ya veya"],
  ["ąčęėįšųūž", "ir kad yra į su iš tai ar bei kaip ne už apie nuo jei gali"],
  ["āčēģīķļņšūž", "un ir uz ar no par kas lai vai ka tiek nav kā pie var"],
  ["äõöüšž", "ja on ei et see kui ka oma või mis selle aga kas siis"],
  ["ëç", "të e në i për që me një nga është dhe"],
  ["é", "the of and to in is that for it as with be on are by this or at from"],
  [
    "àáảãạăằắẳẵặâầấẩẫậđèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵ",
    "và của là các có được cho trong một không với này người để",
  ],
].map(([letters = "", words = ""]) => ({
  letters: new Set(letters + letters.toUpperCase()),
  words: new Set(words.split(" ")),
}))

const shareOf = (all: readonly string[], known: ReadonlySet<string>): number =>
  all.length === 0 ? 0 : all.filter((one) => known.has(one)).length / all.length

/**
 * How well a text in Latin script fits a single language: 0 if all its accented letters belong to
 * one language, more if frequent words of that language occur, less for letters of several ones.
 * @param accented its letters outside of ASCII
 * @param weight share that these letters have in all characters outside of ASCII
 */
export const languageEvidence = (
  text: string,
  accented: readonly string[],
  weight: number,
): number => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []
  const evidence = languages.map(
    (language) =>
      2.5 * shareOf(words, language.words) - 2 * (1 - shareOf(accented, language.letters)) * weight,
  )
  return Math.max(...evidence)
}
