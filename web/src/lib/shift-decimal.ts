/**
 * A number times a power of ten, with the digits that it shows: computing in binary numbers would
 * make 0.07 of 70 thousandths something like 0.07000000000000001.
 */
export const shiftDecimal = (value: number, places: number): number => {
  const [digits = "", exponent = "0"] = String(value).split("e")
  return Number(`${digits}e${Number(exponent) + places}`)
}
