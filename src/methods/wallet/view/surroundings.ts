/** Where the page is shown. This decides which ways of reaching a wallet can work. */

export const isFramed = (): boolean => window.parent !== window

/** Guesses from the pointer and the screen whether this is a phone, where a link can open another app. */
export const isPhone = (): boolean => matchMedia('(pointer: coarse)').matches && matchMedia('(max-width: 900px)').matches
