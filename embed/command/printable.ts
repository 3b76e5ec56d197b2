/** Control characters command a terminal, and some others change the direction of what follows, so they are shown by their numbers. */
export const printable = (line: string): string =>
  line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
