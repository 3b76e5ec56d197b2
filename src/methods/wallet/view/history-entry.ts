import { isFramed } from './surroundings.ts'

/** The browser's Back undoes a step inside the method. Entries that a frame adds to its host's history outlive the frame, so there are none. */
export const enter = (): void => {
  if (!isFramed() && !history.state) history.pushState(true, '')
}

/** Goes back from that entry, which shows the step before by an event, or shows it without one. */
export const undo = (show: () => void) => (): void => {
  if (!history.state) return show()
  // Going back takes a moment, in which a second click must not go back once more.
  history.replaceState(null, '')
  history.back()
}
