import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Undefined while the encoder is on its way. */
export type DrawQr = (text: string) => { readonly size: number; readonly path: string } | undefined

export const QrContext = createContext<DrawQr>(() => undefined)

/** Whole pixels for a module: blurred edges cost a weak camera its reading. */
const most = 228

/** Black on white with four modules around, in both themes and in forced colours: cameras read nothing else. */
export const Qr = ({ text, label, class: name }: { text: string; label: string; class: string }) => {
  const code = useContext(QrContext)(text)
  const side = (code?.size ?? 33) + 8
  return (
    <svg
      class={name}
      width={Math.floor(most / side) * side}
      viewBox={`-4 -4 ${side} ${side}`}
      role="img"
      aria-label={label}
      data-qr={text}
      aria-busy={code ? undefined : 'true'}
    >
      <path d={code?.path ?? ''} />
    </svg>
  )
}
