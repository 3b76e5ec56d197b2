import type { Words } from './words.ts'

/** What a copy button says before, after, and when the browser refuses. */
export const copyWords = (words: Words) => ({ copy: words.t('copy'), copied: words.t('copied'), byHand: words.t('copyByHand') })
