const form = /^0x[0-9a-fA-F]*$/

/** Hex has no case of its own, so its canonical form is in small letters. Returns undefined unless the text is `0x` and so many digits. */
export const readHex = (text: string, digits: number): string | undefined =>
  text.length === digits + 2 && form.test(text) ? text.toLowerCase() : undefined
