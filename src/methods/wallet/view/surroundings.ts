/** Where the page stands: it decides which ways to a wallet can work. */

export const isFramed = (): boolean => window.parent !== window

/** Where another app could be opened by a link. */
export const isPhone = (): boolean => matchMedia('(pointer: coarse)').matches && matchMedia('(max-width: 900px)').matches
