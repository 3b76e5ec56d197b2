import { signal } from '@preact/signals'

export interface QrCode {
  /** Modules on a side. */
  readonly size: number
  /** An SVG path of horizontal strokes, one unit a module. */
  readonly path: string
}

/**
 * Codes by their text. The first ones come drawn from the server, so the encoder is fetched only when an amount or an
 * address changes while the page is open.
 */
export const createQrCodes = (drawn: ReadonlyMap<string, QrCode>, load: () => Promise<(text: string) => QrCode>) => {
  const known = new Map(drawn)
  const encode = signal<(text: string) => QrCode>()
  let loading = false
  return (text: string): QrCode | undefined => {
    const code = known.get(text) ?? encode.value?.(text)
    if (code) known.set(text, code)
    else if (!loading) {
      loading = true
      load().then(
        (ready) => {
          encode.value = ready
        },
        () => {
          loading = false
        },
      )
    }
    return code
  }
}
