/** Where another app could be opened by a link. */
export const isPhone = (): boolean => matchMedia('(pointer: coarse)').matches && matchMedia('(max-width: 900px)').matches
