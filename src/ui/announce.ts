import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Announces a text once to screen readers, politely; `show` makes it visible too. */
export type Announce = (text: string, show?: boolean) => void

export const AnnounceContext = createContext<Announce>(() => {})

export const useAnnounce = (): Announce => useContext(AnnounceContext)
