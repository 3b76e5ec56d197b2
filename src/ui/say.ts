import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Says something politely, once, to who listens; `show` also to who looks. */
export type Say = (text: string, show?: boolean) => void

export const SayContext = createContext<Say>(() => {})

export const useSay = (): Say => useContext(SayContext)
