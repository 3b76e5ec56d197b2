import { isFramed } from './surroundings.ts'

/** The browser's Back undoes a step inside the method. The state of the history entry names the step. */
export type HistoryEntry = 'wallet' | 'rest'

/** Entries that a frame adds to its host's history outlive the frame, so there are none. */
export const enter = (entry: HistoryEntry): void => {
  if (!isFramed() && history.state !== entry) history.pushState(entry, '')
}

/** Goes back from this entry, which shows the step before by an event, or shows it without one. */
export const undo = (entry: HistoryEntry, show: () => void) => (): void => {
  if (history.state !== entry) return show()
  // Going back takes a moment, in which a second click must not go back once more.
  history.replaceState(null, '')
  history.back()
}
