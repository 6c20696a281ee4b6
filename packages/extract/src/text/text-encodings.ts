/** Encodings of `TextDecoder`, by their WHATWG names. */
const standardEncodings = [
  ...["utf-8", "utf-16le", "utf-16be"],
  ...["windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254"],
  ...["windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874"],
  ...["iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7"],
  ...["iso-8859-8", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16"],
  ...["koi8-r", "koi8-u", "macintosh", "x-mac-cyrillic", "ibm866"],
  ...["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "gbk", "big5", "euc-kr"],
] as const

/** Code pages of DOS and Windows consoles, which the WHATWG standard lacks. */
const consoleEncodings = ["ibm437", "ibm850", "ibm852", "ibm857"] as const

export type TextEncoding = (typeof standardEncodings)[number] | (typeof consoleEncodings)[number]

/** All encodings that text is read in and that an uploader may choose. */
export const textEncodings: readonly TextEncoding[] = [...standardEncodings, ...consoleEncodings]
