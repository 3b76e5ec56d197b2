import { createContext } from 'preact'
import { useContext, useRef } from 'preact/hooks'
import { keepServerHtml } from './keep-server-html.ts'

/** Returns undefined until the encoder is loaded. During hydration without the encoder it returns 'drawn', for the server's drawing. */
export type DrawQr = (text: string) => { readonly size: number; readonly image: string } | 'drawn' | undefined

export const QrContext = createContext<DrawQr>(() => undefined)

/** The standard requires a border of four modules. A module is a whole number of pixels wide, so that no edge is blurred for a camera. */
export const Qr = ({ text, label, class: name, maxWidth = 228 }: { text: string; label: string; class?: string; maxWidth?: number }) => {
  const drawn = useContext(QrContext)(text)
  const code = drawn === 'drawn' ? undefined : drawn
  // The server's drawing stays until the encoder is loaded or the text changes. Only a hydrated element has such a drawing.
  const hydrated = useRef(drawn === 'drawn' && text)
  if (code || hydrated.current !== text) hydrated.current = false
  const side = (code?.size ?? 33) + 8
  return (
    <svg
      key={text}
      class={name}
      width={Math.floor(maxWidth / side) * side}
      viewBox={`-4 -4 ${side} ${side}`}
      role="img"
      aria-label={label}
      data-qr={text}
      aria-busy={code ? undefined : 'true'}
      dangerouslySetInnerHTML={hydrated.current ? keepServerHtml : undefined}
    >
      {code && <image href={code.image} width={code.size} height={code.size} />}
    </svg>
  )
}
