import { useWords } from '../i18n/words.ts'

/** Heard, not seen: the shape of what comes. */
export const Loading = () => {
  const words = useWords()
  return (
    <>
      <h1 class="hide" tabIndex={-1}>
        {words.t('loading')}
      </h1>
      <div class="sk" />
      <div class="sk tall" />
    </>
  )
}
