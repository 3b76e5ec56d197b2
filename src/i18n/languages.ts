import { localeCodes, locales } from '../wire/locale.ts'

/** Each by its own name, for those who do not read the one the page is in. */
export const languages = localeCodes.map((code) => ({ code, name: locales[code] }))
