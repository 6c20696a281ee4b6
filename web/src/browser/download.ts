/** Saves a blob as a file in the browser. */
export const downloadBlob = (name: string, blob: Blob): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export const downloadTextFile = (name: string, type: string, text: string): void =>
  downloadBlob(name, new Blob([text], { type }))
