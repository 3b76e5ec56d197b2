import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Later } from './later.tsx'

export const LaterContext = createContext<Later | undefined>(undefined)

/** Undefined while it is on its way; it always is there where the server rendered something of it. */
export const useLater = (): Later | undefined => useContext(LaterContext)
