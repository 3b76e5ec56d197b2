import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Announces a text to screen readers without interrupting them. `show` makes the text visible as well. */
export type Announce = (text: string, show?: boolean) => void

export const AnnounceContext = createContext<Announce>(() => {})

export const useAnnounce = (): Announce => useContext(AnnounceContext)
