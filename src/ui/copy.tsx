import { useEffect } from 'preact/hooks'
import { copyText, selectElement } from './copy-text.ts'
import { Icon } from './icon.tsx'
import { useAnnounce } from './announce.ts'
import { useOwnState } from './own-state.ts'

interface CopyProps {
  readonly words: { readonly copy: string; readonly copied: string; readonly byHand: string }
  readonly text: string
  /** This is the accessible name. A main button also shows it as its text. */
  readonly label: string
  /** Draws the button filled, because copying is the main action of the screen. */
  readonly main?: boolean
  /** The element with this id shows the text, and is selected if copying fails. */
  readonly shows: string
}

const doneMs = 2_000

export const Copy = ({ words, text, label, main, shows }: CopyProps) => {
  const announce = useAnnounce()
  const done = useOwnState(false)
  useEffect(() => {
    if (!done.value) return
    const timer = setTimeout(() => (done.value = false), doneMs)
    return () => clearTimeout(timer)
  }, [done.value])
  const copy = async () => {
    const copied = await copyText(text)
    done.value = copied
    announce(copied ? words.copied : words.byHand, !copied)
    if (!copied) selectElement(shows)
  }
  return (
    <button
      type="button"
      class={`js ${main ? 'btn' : 'copy'}${done.value ? ' done' : ''}`}
      aria-label={main ? undefined : done.value ? words.copied : label}
      onClick={copy}
      data-copy={text}
    >
      <Icon name={done.value ? 'check' : 'copy'} />
      {done.value ? words.copied : main ? label : words.copy}
    </button>
  )
}
