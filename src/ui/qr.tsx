import { createContext } from 'preact'
import { useContext, useRef } from 'preact/hooks'

/** Undefined while the encoder is on its way; 'drawn' for what the server drew, while the page is hydrated without the encoder. */
export type DrawQr = (text: string) => { readonly size: number; readonly path: string } | 'drawn' | undefined

export const QrContext = createContext<DrawQr>(() => undefined)

const kept = { __html: '' }

/**
 * Black on white with four modules around, in both themes and in forced colours: cameras read nothing else. Whole pixels for a module:
 * blurred edges cost a weak camera its reading.
 */
export const Qr = ({ text, label, class: name, most = 228 }: { text: string; label: string; class: string; most?: number }) => {
  const drawn = useContext(QrContext)(text)
  const code = drawn === 'drawn' ? undefined : drawn
  // The server's drawing stays until the encoder is here or the text is another one; only what was hydrated can be kept.
  const hydrated = useRef(drawn === 'drawn' && text)
  if (code || hydrated.current !== text) hydrated.current = false
  const side = (code?.size ?? 33) + 8
  return (
    <svg
      key={text}
      class={name}
      width={Math.floor(most / side) * side}
      viewBox={`-4 -4 ${side} ${side}`}
      role="img"
      aria-label={label}
      data-qr={text}
      aria-busy={code ? undefined : 'true'}
      dangerouslySetInnerHTML={hydrated.current ? kept : undefined}
    >
      {code && <path d={code.path} />}
    </svg>
  )
}
