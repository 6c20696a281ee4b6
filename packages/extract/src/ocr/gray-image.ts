/** One byte per pixel, row by row from the top; 0 is black. */
export interface GrayImage {
  width: number
  height: number
  pixels: Uint8Array
}

/** A portable graymap (Netpbm P5). */
export const toPgm = ({ width, height, pixels }: GrayImage): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), pixels])

export const turnUpsideDown = ({ width, height, pixels }: GrayImage): GrayImage => ({
  width,
  height,
  pixels: pixels.toReversed(),
})
