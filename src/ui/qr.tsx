import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Undefined while the encoder is on its way. */
export type DrawQr = (text: string) => { readonly size: number; readonly path: string } | undefined

export const QrContext = createContext<DrawQr>(() => undefined)

const kept = { __html: '' }

/**
 * Black on white with four modules around, in both themes and in forced colours: cameras read nothing else. Whole pixels for a module:
 * blurred edges cost a weak camera its reading.
 */
export const Qr = ({ text, label, class: name, most = 228 }: { text: string; label: string; class: string; most?: number }) => {
  const code = useContext(QrContext)(text)
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
      // What the server drew stays until the encoder is here; another text is another element.
      dangerouslySetInnerHTML={code ? undefined : kept}
    >
      {code && <path d={code.path} />}
    </svg>
  )
}
